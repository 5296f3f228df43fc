// state.js: what is looked at, how it is said, and how it stands in the page's address:
//
//   #[TEXT:]LAYER.HEAD[/heat|lines|list][/linear|sqrt|row|max][/COLUMN][/qPOSITION][/kPOSITION]

const meta = typeof document === "undefined" ? {} : JSON.parse($("meta").textContent);
const texts = [];
const state = {text: 0, head: 0, view: "heat", shade: meta.shade, column: 0, query: -1, key: -1, side: "query", zoom: 0,
               find: ""};
const VIEWS = ["heat", "lines", "list"], SHADES = ["linear", "sqrt", "row", "max"];
const kinds = {}; // what a page can hold: each file that shows one adds itself, under the name of its attn_html_view
let kind;

const theText = () => texts[state.text];
const theHead = () => theText().heads[state.head];
const headName = head => `${head.layer}.${head.head}`;
const headTitle = head => head.head === "all" ? `layer ${head.layer}` : `layer ${head.layer}, head ${head.head}`;
// ---- said in the live region ----

function say(...parts) {
    $("say").replaceChildren(...parts);
}

function nameToken(side, index) {
    return [tokenElement(side.labels[index]), ` (${side.positions[index]})`];
}

// ---- the address ----

const columnNames = () => (meta.table ?? []).map(column => column.name);

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
        else if (columnNames().includes(part))
            state.column = columnNames().indexOf(part);
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
    if (kind.startColumn !== undefined && state.column !== kind.startColumn())
        address += `/${columnNames()[state.column]}`;
    if (state.query >= 0 && text.queries)
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

// BEFORE: what is said first.
async function chooseHead(head, before = headTitle(theText().heads[head])) {
    state.head = head;
    markHead();
    writeAddress();
    if (!await kind.load())
        return; // another was chosen meanwhile
    kind.say(before);
    show();
}

async function chooseText(index) {
    const was = theText().heads[state.head];
    Object.assign(state, {text: index, query: -1, key: -1, zoom: 0});
    $("text").value = String(index);
    buildHeads();
    const same = theText().heads.findIndex(head => was && head.layer === was.layer && head.head === was.head);
    if (theText().heads.length > 0)
        await chooseHead(Math.max(0, same), `text ${theText().number}`);
    else
        sayEmpty();
}

function sayEmpty() {
    say("this text has no tokens");
    show();
}

function chooseView(view) {
    state.view = view;
    writeAddress();
    show();
}

function chooseShade(shade) {
    state.shade = shade;
    if (!kind.keepsGrid)
        buildHeads();
    say(`shade: ${shade}`);
    writeAddress();
    show();
}

// ---- showing ----

function show() {
    const head = theHead();
    for (const view of VIEWS)
        $(`view-${view}`).setAttribute("aria-pressed", String(view === state.view));
    $("shade").value = state.shade;
    $("where").textContent = head === undefined ? "" : headTitle(head);
    if (head !== undefined)
        kind.show();
    else {
        $("view").replaceChildren();
        $("legend").replaceChildren();
    }
}

// What the colors of a range go from and to.
function legendOf(range, most) {
    const bar = pictureOf(Uint8Array.from({length: 255}, (_, i) => i + 1), 1, 255, paletteFor(range));
    const roots = state.shade === "sqrt" ? ", of the square roots" : "";
    return [range === "signed" ? `−${most}` : "0", bar, `${most}${roots}`];
}

const palettes = {};
const paletteFor = range => palettes[range] ??= paletteOf(range === "signed" ? meta.signed_scale : meta.scale);
