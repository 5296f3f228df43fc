// The functions of a page of -f html, run outside a browser: html_functions.js PAGE NPY DECIMALS. Their results against
// -f npy of the same run, the decimals that attn prints, a pooling by hand, and color.c's own anchors.
"use strict";
const fs = require("node:fs"), vm = require("node:vm");
const [pagePath, npyPath, decimalsPath] = process.argv.slice(2);
const page = fs.readFileSync(pagePath, "utf8");
let passed = 0, failed = 0;

function check(holds, what) {
    if (holds)
        passed++;
    else {
        failed++;
        console.log(`FAIL: ${what}`);
    }
}

const contents = [...page.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
const element = mark => contents.filter(found => found[1].includes(mark)).map(found => found[2]);
const script = contents.filter(found => found[1] === "");
check(script.length === 1, "one script");
const names = "unpack pool pixelOf paletteOf shareOf decimalsOf largestCells findTokens measure poolPixels letterOn";
const context = vm.createContext({atob, Blob, Response, DecompressionStream, Uint8Array, console});
vm.runInContext(`${script[0][2]}\n;globalThis.page = {${names.split(" ").join(", ")}};`, context);
const f = context.page;
const meta = JSON.parse(element('id="meta"')[0]), text = JSON.parse(element('class="text"')[0]);

function readNpy(path) {
    const data = fs.readFileSync(path), size = data.readUInt16LE(8);
    const shape = /\((.*?),?\)/.exec(data.toString("latin1", 10, 10 + size))[1].split(",").map(Number);
    return {shape, at: i => data.readFloatLE(10 + size + 4 * i)};
}

async function maps() {
    const npy = readNpy(npyPath), rows = fs.readFileSync(decimalsPath, "utf8").trimEnd().split("\n").slice(1);
    const printed = new Map(rows.map(row => row.split("\t"))
                                .map(row => [`${row[1]}.${row[2]} ${row[3]} ${row[5]}`, row[7]]));
    let pairs = 0, far = 0, differ = 0, masked = 0;
    for (const [index, head] of text.heads.entries()) {
        const map = await f.unpack(head, text, meta, element(`id="0:${head.layer}.${head.head}"`)[0]);
        for (let i = 0; i < map.rows; i++)
            for (let j = 0; j < map.columns; j++) {
                const value = map.values[i * map.columns + j];
                const exact = npy.at((index * map.rows + i) * map.columns + j);
                const decimals = printed.get(`${head.layer}.${head.head} ${i} ${j}`);
                if (!map.visible[i * map.columns + j]) {
                    masked += decimals === undefined;
                    continue;
                }
                pairs++;
                far += !(Math.abs(value - exact) <= 1 / 131070);
                differ += f.decimalsOf(value, meta.decimals) !== decimals;
            }
        const largest = Math.max(...Array.from({length: map.rows * map.columns}, (_, i) =>
            map.visible[i] ? Math.abs(npy.at(index * map.rows * map.columns + i)) : 0));
        check(Math.abs(map.largest - largest) <= 1 / 131070, `the largest of ${head.layer}.${head.head}`);
    }
    check(pairs === printed.size && pairs > 0, `${pairs} pairs, ${printed.size} printed`);
    check(masked === text.heads.length * npy.shape[2] * npy.shape[3] - pairs, "masked pairs are those not printed");
    check(far === 0, `${far} numbers are further than 1/131070 from -f npy`);
    check(differ === 0, `${differ} numbers are shown otherwise than attn prints them`);
}

const plain = value => JSON.stringify(Array.from(value));

function pooling() {
    const map = f.measure({rows: 3, columns: 3, visible: Uint8Array.from([1, 0, 0, 1, 1, 0, 0, 1, 1]),
                           values: Float64Array.from([1, 9, 9, -3, 2, 9, 9, 4, 5])});
    const pooled = f.pool(map, 2);
    check(pooled.rows === 2 && pooled.columns === 2, "3 cells are 2 points");
    check(plain(pooled.values) === "[-3,0,4,5]" && plain(pooled.visible) === "[1,0,1,1]", "the largest, its sign kept");
    check(plain(map.largestOfRow) === "[1,3,5]" && map.largest === 5, "the largest sizes");
    check(plain(f.poolPixels(Uint8Array.from([0, 7, 3, 9]), 2, 2, 2, "unit")) === "[9]", "pixels");
    check(plain(f.poolPixels(Uint8Array.from([100, 130, 0, 0]), 2, 2, 2, "signed")) === "[100]", "signed pixels");
}

function colors() {
    // viridis (CC0) at 0, ½, 1; half way between its first two anchors by hand
    const palette = f.paletteOf(meta.scale);
    check(plain(palette[1]) === "[68,1,84]" && plain(palette[255]) === "[253,231,37]", "the ends of the scale");
    check(plain(palette[128]) === "[33,145,140]", "its middle");
    check(plain(f.paletteOf([[68, 1, 84], [72, 36, 117]])[128]) === "[70,19,101]", "linear between");
    check(f.pixelOf("unit", 0) === 1 && f.pixelOf("unit", 1) === 255 && f.pixelOf("unit", 2) === 255, "unit pixels");
    check(f.pixelOf("signed", 0) === 128 && f.pixelOf("signed", -1) === 1, "signed pixels");
    check(f.shareOf("unit", "linear", .25, .5, .8) === .25, "linear");
    check(f.shareOf("unit", "row", .25, .5, .8) === .5, "row");
    check(f.shareOf("unit", "sqrt", .25, .5, .8) === .5 && f.shareOf("unit", "max", .4, .5, .8) === .5, "sqrt, max");
    check(f.shareOf("signed", "linear", -2, 4, 8) === -.25 && f.shareOf("positive", "linear", -2, 4, 8) === 0, "signs");
    check(f.shareOf("unit", "linear", NaN, 1, 1) === 0, "no number");
    check(f.shareOf("signed", "linear", -Infinity, 1, 1) === -1, "beyond any number");
    check(f.letterOn([68, 1, 84]) === "#fff" && f.letterOn([253, 231, 37]) === "#000", "letters");
}

function lists() {
    const map = f.measure({rows: 2, columns: 2, visible: Uint8Array.from([1, 0, 1, 1]),
                           values: Float64Array.from([.5, 9, .5, -.75])});
    const found = f.largestCells(map, () => true, 2).map(cell => `${cell.query}${cell.key}`);
    check(found.join(" ") === "11 00", `the largest, ties by place: ${found}`);
    check(f.decimalsOf(-.00001, 4) === "0.0000", "what rounds to 0 has no sign");
    check(f.decimalsOf(-.00006, 4) === "-0.0001", "what does not has");
    check(f.decimalsOf(NaN, 4) === "nan" && f.decimalsOf(-Infinity, 4) === "-inf", "no number");
    const labels = ["King", "␣king", "queen", "어부"];
    check(plain(f.findTokens(labels, "kInG")) === "[0,1]" && plain(f.findTokens(labels, " k")) === "[1]", "found");
    check(plain(f.findTokens(labels, "부")) === "[3]" && plain(f.findTokens(labels, "")) === "[]", "found, or not");
}

maps().then(() => {
    pooling();
    colors();
    lists();
    console.log(`${passed} passed, ${failed} failed, 0 skipped`);
    process.exit(failed > 0 ? 1 : 0);
});
