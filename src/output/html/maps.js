// maps.js: a page of maps: weights, scores and their like. What all its views share: the chosen head's map, unpacked
// when it is first looked at, the chosen tokens, and what is said of them.

let map = null; // of the chosen head
const unpacked = new Map(), MOST_UNPACKED = 12000000; // numbers kept of heads that were looked at

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

// The chosen head's map; false: another head was chosen before it was there.
async function loadChosen() {
    const {text, head} = state, loaded = await loadMap(text, head);
    if (state.text !== text || state.head !== head)
        return false;
    map = loaded;
    completeToken();
    return true;
}

function sayCell(query, key, before = "") {
    const text = theText();
    say(before, ...nameToken(text.queries, query), " → ", ...nameToken(text.keys, key), ": ",
        isVisible(query, key) ? decimalsOf(valueAt(query, key), meta.decimals) : "masked");
}

function sayChosen(before = "") {
    if (state.query >= 0 && state.key >= 0)
        sayCell(state.query, state.key, before === "" ? "" : `${before}: `);
    else
        say(before);
}

// ---- choosing tokens ----

// An address may name one of the two.
function completeToken() {
    if (state.query >= 0 && state.key < 0)
        state.key = largestFor("query", state.query);
    else if (state.key >= 0 && state.query < 0)
        Object.assign(state, {side: "key", query: largestFor("key", state.key)});
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

function moveInHeat([down, right], far) {
    if (state.query < 0)
        chooseCell(0, 0);
    else
        chooseCell(within(state.query + down * far, map.rows), within(state.key + right * far, map.columns));
}

function moveInTokens([down, right], far) {
    const side = right < 0 ? "query" : right > 0 ? "key" : state.side;
    const n = side === "query" ? map.rows : map.columns;
    chooseToken(side, state.query < 0 ? 0 : within(state[side] + down * far, n));
}

// ---- finding tokens ----

function foundTokens() {
    const text = theText();
    return {queries: new Set(findTokens(text.queries.labels, state.find)),
            keys: new Set(findTokens(text.keys.labels, state.find))};
}

// The next of the tokens found, queries first: STEP 1; −1: the one before; 0: the first from the chosen one on.
function findNext(step) {
    const text = theText(), queries = findTokens(text.queries.labels, state.find);
    const all = [...queries.map(index => ({side: "query", index})),
                 ...findTokens(text.keys.labels, state.find)
                     .filter(() => queries.length === 0)
                     .map(index => ({side: "key", index}))];
    if (all.length === 0) {
        say(state.find === "" ? "" : "not found");
        show();
        return;
    }
    const at = all.findIndex(token => token.index >= state[token.side] && state.query >= 0);
    const here = at >= 0 && all[at].index === state[all[at].side];
    let next = at < 0 ? (step < 0 ? all.length - 1 : 0) : step > 0 && here ? at + 1 : step < 0 ? at - 1 : at;
    next = (next + all.length) % all.length;
    chooseToken(all[next].side, all[next].index, `${next + 1} of ${all.length}`);
}

function onFindKey(event) {
    if (event.key === "Enter") {
        event.preventDefault();
        findNext(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
        $("find").value = state.find = "";
        show();
        $("view").focus();
    }
    event.stopPropagation();
}

// ---- showing ----

function zoomBy(step) {
    state.zoom = step === 0 ? 0 : Math.max(0, state.zoom + step);
    show();
}

function showMap() {
    if (map === null)
        return;
    const name = `${meta.value}s of head ${headName(theHead())}`;
    $("view").setAttribute("aria-label", state.view === "list" ? name : `${name}: arrow keys choose tokens`);
    $("view").setAttribute("role", state.view === "list" ? "group" : "application");
    ({heat: showHeat, lines: showLines, list: showList})[state.view]();
    showLegend();
}

// What full color is, and that masked is no color.
function showLegend() {
    const most = state.shade === "row" ? "each row's largest"
               : meta.range === "unit" && state.shade !== "max" ? "1" : decimalsOf(map.largest, meta.decimals);
    const masked = map.visible.includes(0) ? "; blank: masked" : "", square = `${heat.block}×${heat.block}`;
    const roots = state.shade === "sqrt" ? ", of the square roots" : "";
    if (state.view === "list")
        $("legend").replaceChildren();
    else if (state.view === "lines")
        $("legend").replaceChildren(`the stronger, the more: full at ${most}${roots}; none below ${LEAST_SHARE}`);
    else
        $("legend").replaceChildren(...legendOf(meta.range, most), masked,
                                    heat.block > 1 ? `; ${square} cells a point: the largest` : "");
}

function beginMaps() {
    $("find").oninput = () => {
        state.find = $("find").value;
        findNext(0);
    };
    $("find").onkeydown = onFindKey;
}

// A thumbnail that nearly has room is not made half as large.
function mapSize(most) {
    const own = Math.max(theText().rows, theText().columns);
    return Math.max(8, Math.min(44, most >= .8 * own ? Math.max(most, own) : most));
}

kinds.maps = {
    bars: ["views", "shade-bar", "find-bar"],
    begin: beginMaps,
    load: loadChosen,
    say: sayChosen,
    show: showMap,
    paintHeads: paintThumbnails,
    keepsGrid: true, // thumbnails have a shade of their own
    headSize: mapSize,
    move: (arrow, far) => (state.view === "heat" ? moveInHeat : moveInTokens)(arrow, far),
    keys: {
        "h": () => chooseView("heat"),
        "l": () => chooseView("lines"),
        "t": () => chooseView("list"),
        "s": () => chooseShade(cycle(SHADES, state.shade)),
        "n": () => findNext(1),
        "N": () => findNext(-1),
        "/": () => $("find").focus(),
        "+": () => zoomBy(1),
        "=": () => zoomBy(1),
        "-": () => zoomBy(-1),
        "0": () => zoomBy(0),
        "Escape": chooseNothing,
    },
};
