// keys.js: keys, and the start of the page.

// ---- keys ----

const ARROWS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
const within = (index, n) => Math.max(0, Math.min(n - 1, index));

function moveHead([down, right]) {
    chooseHead(neighborHead(down, right));
}

function onArrow(event) {
    const arrow = ARROWS[event.key], far = event.shiftKey ? 10 : 1, inView = $("pane").contains(document.activeElement);
    event.preventDefault();
    if (theText().heads.length === 0)
        return;
    if (inView && kind.move !== undefined)
        kind.move(arrow, far);
    else
        moveHead(arrow);
}

const cycle = (all, now, step = 1) => all[(all.indexOf(now) + step + all.length) % all.length];

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
    "g": () => $("heads").focus(),
    "m": () => $("view").focus(),
    "[": () => turnText(-1),
    "]": () => turnText(1),
    "?": toggleHelp,
};

function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(document.activeElement.tagName))
        return;
    const act = KEYS[event.key] ?? kind.keys[event.key];
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

function wire() {
    for (const view of VIEWS)
        $(`view-${view}`).onclick = () => chooseView(view);
    $("shade").onchange = () => chooseShade($("shade").value);
    $("text").onchange = () => chooseText(Number($("text").value));
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
    kind = kinds[meta.view];
    await readTexts();
    const file = texts.length === 1 ? texts[0].file : "";
    $("title").textContent = document.title = `attn: ${meta.report}${file === "" ? "" : ` of ${file}`}`;
    for (const bar of ["views", "shade-bar", "find-bar", "column-bar"])
        $(bar).hidden = !kind.bars.includes(bar);
    kind.begin?.();
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
            sayEmpty();
    }
    document.body.dataset.milliseconds = String(Math.round(performance.now() - began));
    document.body.dataset.ready = "1";
}

if (typeof document !== "undefined")
    start();
