// state.js: what is looked at, how it is said, and how it stands in the page's address:
//
//   #[TEXT:]LAYER.HEAD[/heat|lines|list][/linear|sqrt|row|max][/qPOSITION][/kPOSITION]

const meta = typeof document === "undefined" ? {} : JSON.parse($("meta").textContent);
const texts = [];
const state = {text: 0, head: 0, view: "heat", shade: meta.shade, query: -1, key: -1, side: "query", zoom: 0, find: ""};
const VIEWS = ["heat", "lines", "list"], SHADES = ["linear", "sqrt", "row", "max"];
let palette, map = null; // of the chosen head
const unpacked = new Map(), MOST_UNPACKED = 12000000; // numbers kept of heads that were looked at

const theText = () => texts[state.text];
const theHead = () => theText().heads[state.head];
const headName = head => `${head.layer}.${head.head}`;
const share = (value, query) => shareOf(meta.range, state.shade, value, map.largestOfRow[query], map.largest);
const valueAt = (query, key) => map.values[query * map.columns + key];
const isVisible = (query, key) => map.visible[query * map.columns + key] === 1;

async function loadMap(text, head) {
    const id = `${text}:${headName(texts[text].heads[head])}`;
    if (!unpacked.has(id)) {
        let numbers = 0;
        unpacked.forEach(kept => numbers += kept.values.length);
        if (numbers > MOST_UNPACKED)
            unpacked.clear();
        unpacked.set(id, await unpack(texts[text].heads[head], texts[text], meta, $(id).textContent));
    }
    return unpacked.get(id);
}

// ---- said in the live region ----

function say(...parts) {
    $("say").replaceChildren(...parts);
}

function nameToken(side, index) {
    return [tokenElement(side.labels[index]), ` (${side.positions[index]})`];
}

function sayCell(query, key, before = "") {
    const text = theText();
    say(before, ...nameToken(text.queries, query), " → ", ...nameToken(text.keys, key), ": ",
        isVisible(query, key) ? decimalsOf(valueAt(query, key), meta.decimals) : "masked");
}

function sayChosen(before = "") {
    if (state.query >= 0 && state.key >= 0)
        sayCell(state.query, state.key, before);
    else
        say(before);
}

// ---- the address ----

function readAddress() {
    const parts = decodeURIComponent(location.hash.slice(1)).split("/");
    const place = /^(?:(\d+):)?(\d+)\.(\w+)$/.exec(parts[0]);
    if (place) {
        const text = Number(place[1] ?? 0);
        const head = texts[text]?.heads.findIndex(h => h.layer === Number(place[2]) && h.head === place[3]) ?? -1;
        if (head >= 0)
            Object.assign(state, {text, head, query: -1, key: -1});
    }
    for (const part of parts.slice(1)) {
        const token = /^([qk])(\d+)$/.exec(part);
        if (VIEWS.includes(part))
            state.view = part;
        else if (SHADES.includes(part))
            state.shade = part;
        else if (token && texts.length > 0 && theText().queries)
            state[token[1] === "q" ? "query" : "key"] =
                theText()[token[1] === "q" ? "queries" : "keys"].positions.indexOf(Number(token[2]));
    }
}

function addressOf() {
    const text = theText();
    let address = `#${texts.length > 1 ? `${state.text}:` : ""}${headName(theHead())}`;
    if (state.view !== "heat")
        address += `/${state.view}`;
    if (state.shade !== meta.shade)
        address += `/${state.shade}`;
    if (state.query >= 0)
        address += `/q${text.queries.positions[state.query]}`;
    if (state.key >= 0)
        address += `/k${text.keys.positions[state.key]}`;
    return address;
}

let addressTimer = 0, written = "";
// A moment later: browsers refuse an address that changes with each repeat of a key.
function writeAddress() {
    clearTimeout(addressTimer);
    addressTimer = setTimeout(() => {
        if (theText()?.heads.length > 0)
            history.replaceState(null, "", written = addressOf());
    }, 200);
}

// ---- choosing ----

async function chooseHead(head, before = `layer ${theText().heads[head].layer}, head ${theText().heads[head].head}`) {
    state.head = head;
    markHead();
    writeAddress();
    if (!shape.maps)
        map = null;
    else {
        const text = state.text, loaded = await loadMap(text, head);
        if (state.text !== text || state.head !== head)
            return; // another was chosen meanwhile
        map = loaded;
        completeToken();
    }
    sayChosen(state.query >= 0 && state.key >= 0 ? `${before}: ` : before);
    show();
}

// An address may name one of the two.
function completeToken() {
    if (state.query >= 0 && state.key < 0)
        state.key = largestFor("query", state.query);
    else if (state.key >= 0 && state.query < 0)
        Object.assign(state, {side: "key", query: largestFor("key", state.key)});
}

async function chooseText(index) {
    const was = theText().heads[state.head];
    Object.assign(state, {text: index, query: -1, key: -1, zoom: 0});
    $("text").value = String(index);
    buildHeads();
    const same = theText().heads.findIndex(head => was && head.layer === was.layer && head.head === was.head);
    if (theText().heads.length === 0) {
        map = null;
        say("this text has no tokens");
        show();
    } else
        await chooseHead(Math.max(0, same), `text ${theText().number}`);
}

// The key to which a query gives most, or the query that gives most to a key.
function largestFor(side, index) {
    const found = largestCells(map, (query, key) => (side === "query" ? query : key) === index, 1)[0];
    return found === undefined ? 0 : side === "query" ? found.key : found.query;
}

function chooseToken(side, index, before = "") {
    const other = side === "query" ? "key" : "query";
    Object.assign(state, {side, [side]: index, [other]: largestFor(side, index)});
    sayChosen(before);
    writeAddress();
    show();
}

function chooseCell(query, key) {
    Object.assign(state, {query, key, side: "query"});
    sayChosen();
    writeAddress();
    show();
}

function chooseNothing() {
    Object.assign(state, {query: -1, key: -1, side: "query"});
    say("no token chosen");
    writeAddress();
    show();
}

function chooseView(view) {
    state.view = view;
    writeAddress();
    show();
}

function chooseShade(shade) {
    state.shade = shade;
    say(`shade: ${shade}`);
    writeAddress();
    show();
}

// ---- showing ----

function show() {
    for (const view of VIEWS)
        $(`view-${view}`).setAttribute("aria-pressed", String(view === state.view));
    $("shade").value = state.shade;
    const head = theText().heads[state.head];
    $("where").textContent = head === undefined ? "" : `layer ${head.layer}, head ${head.head}`;
    if (head === undefined || (shape.maps && !map)) {
        $("view").replaceChildren();
        $("legend").replaceChildren();
        return;
    }
    shape.show();
}

function showMap() {
    const name = `${meta.value}s of head ${headName(theHead())}`;
    $("view").setAttribute("aria-label", state.view === "list" ? name : `${name}: arrow keys choose tokens`);
    $("view").setAttribute("role", state.view === "list" ? "group" : "application");
    ({heat: showHeat, lines: showLines, list: showList})[state.view]();
    showLegend();
}

// What full color is, and that masked is no color.
function showLegend() {
    const bar = pictureOf(Uint8Array.from({length: 255}, (_, i) => i + 1), 1, 255, palette);
    const most = state.shade === "row" ? "each row's largest"
               : meta.range === "unit" && state.shade !== "max" ? "1" : decimalsOf(map.largest, meta.decimals);
    const least = meta.range === "signed" ? `−${most}` : "0";
    if (state.view === "list") {
        $("legend").replaceChildren();
        return;
    }
    const masked = map.visible.includes(0) ? "; blank: masked" : "";
    const blocks = state.view === "heat" && heat.block > 1
        ? `; ${heat.block}×${heat.block} cells a point: the largest` : "";
    const roots = state.shade === "sqrt" ? ", of the square roots" : "";
    if (state.view === "lines")
        $("legend").replaceChildren(`the stronger, the more: full at ${most}${roots}; none below ${LEAST_SHARE}`);
    else
        $("legend").replaceChildren(least, bar, `${most}${roots}`, masked, blocks);
}
