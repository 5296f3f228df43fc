// keys.js: keys, the search, and the start of the page.

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
    chooseToken(all[next].side, all[next].index, `${next + 1} of ${all.length}: `);
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

// ---- moving ----

const ARROWS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
const within = (index, n) => Math.max(0, Math.min(n - 1, index));

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

function moveHead([down, right]) {
    chooseHead(neighborHead(down, right));
}

function onArrow(event) {
    const arrow = ARROWS[event.key], far = event.shiftKey ? 10 : 1, inView = $("pane").contains(document.activeElement);
    event.preventDefault();
    if (theText().heads.length === 0)
        return;
    if (!inView || !shape.maps)
        moveHead(arrow);
    else if (map)
        (state.view === "heat" ? moveInHeat : moveInTokens)(arrow, far);
}

const cycle = (all, now, step = 1) => all[(all.indexOf(now) + step + all.length) % all.length];

function zoomBy(step) {
    state.zoom = step === 0 ? 0 : Math.max(0, state.zoom + step);
    show();
}

function toggleHelp() {
    $("help").hidden = !$("help").hidden;
    $("keys").setAttribute("aria-expanded", String(!$("help").hidden));
    show();
}

function turnText(step) {
    if (texts.length > 1)
        chooseText((state.text + step + texts.length) % texts.length);
}

const KEYS = {
    "h": () => chooseView("heat"),
    "l": () => chooseView("lines"),
    "t": () => chooseView("list"),
    "s": () => chooseShade(cycle(SHADES, state.shade)),
    "g": () => $("heads").focus(),
    "m": () => $("view").focus(),
    "n": () => findNext(1),
    "N": () => findNext(-1),
    "/": () => $("find").focus(),
    "+": () => zoomBy(1),
    "=": () => zoomBy(1),
    "-": () => zoomBy(-1),
    "0": () => zoomBy(0),
    "Escape": chooseNothing,
};
const KEYS_ALWAYS = {
    "[": () => turnText(-1),
    "]": () => turnText(1),
    "?": toggleHelp,
};

function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(document.activeElement.tagName))
        return;
    const act = KEYS_ALWAYS[event.key] ?? (map || !shape.maps ? shape.keys[event.key] : undefined);
    if (event.key in ARROWS)
        onArrow(event);
    else if (event.key === "Enter" && document.activeElement === $("heads"))
        $("view").focus();
    else if (act) {
        event.preventDefault();
        act();
    }
}

// ---- the start ----

// A text's place and its first words.
function titleOf(text) {
    const place = [text.file, text.line || ""].filter(part => part !== "").join(":");
    const words = text.queries ? text.queries.labels.slice(0, 8).join(" ") : "";
    return `${text.number}${place === "" ? "" : ` ${place}`}: ${words}`;
}

const shapes = {
    grid: {maps: true, keys: KEYS, show: showMap, paintHeads: paintThumbnails},
};
const shape = typeof document === "undefined" ? {} : shapes[meta.shape];

function wire() {
    for (const view of VIEWS)
        $(`view-${view}`).onclick = () => chooseView(view);
    $("shade").onchange = () => chooseShade($("shade").value);
    $("text").onchange = () => chooseText(Number($("text").value));
    $("find").oninput = () => {
        state.find = $("find").value;
        findNext(0);
    };
    $("find").onkeydown = onFindKey;
    $("keys").onclick = toggleHelp;
    document.onkeydown = onKey;
    window.onresize = () => {
        buildHeads();
        show();
    };
    matchMedia("(prefers-color-scheme: dark)").onchange = window.onresize;
    window.onhashchange = () => {
        if (location.hash === written)
            return;
        const text = state.text;
        readAddress();
        if (text !== state.text)
            buildHeads();
        chooseHead(state.head);
    };
}

async function readTexts() {
    for (const element of document.querySelectorAll("script.text"))
        texts.push(JSON.parse(element.textContent));
    for (const text of texts)
        if (text.thumbnails !== undefined)
            text.pixels = await inflate(text.thumbnails);
    $("text").append(...texts.map((text, i) => make("option", {value: i}, titleOf(text))));
    $("text-bar").hidden = texts.length < 2;
}

async function start() {
    const began = performance.now();
    palette = paletteOf(meta.range === "signed" ? meta.signed_scale : meta.scale);
    await readTexts();
    const file = texts.length === 1 ? texts[0].file : "";
    $("title").textContent = document.title = `attn: ${meta.report}${file === "" ? "" : ` of ${file}`}`;
    $("column-bar").hidden = true;
    if (texts.length === 0)
        say("there is no text");
    else {
        readAddress();
        $("text").value = String(state.text);
        wire();
        buildHeads();
        if (theText().heads.length > 0)
            await chooseHead(state.head);
        else
            say("this text has no tokens");
    }
    document.body.dataset.milliseconds = String(Math.round(performance.now() - began));
    document.body.dataset.ready = "1";
}

if (typeof document !== "undefined")
    start();
