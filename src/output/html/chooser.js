// chooser.js: the grid of heads, layers down, heads across: a thumbnail each (all on one canvas), or a number on its
// color where a page holds numbers of heads and no maps.

const chooser = {size: 0, layers: [], heads: []};

const distinct = values => [...new Set(values)].sort((a, b) => Number(a) - Number(b));

// As large as two fifths of the window have room for, thumbnails not smaller than they are.
function headSize(across) {
    const most = Math.floor((window.innerWidth * .4 - 40) / Math.max(1, across)) - 4;
    return kind.headSize(most);
}

function buildHeads() {
    const text = theText(), grid = $("heads");
    chooser.layers = distinct(text.heads.map(head => head.layer));
    chooser.heads = distinct(text.heads.map(head => head.head));
    chooser.size = headSize(chooser.heads.length);
    grid.style.gridTemplateColumns = `max-content repeat(${chooser.heads.length}, ${chooser.size + 4}px)`;
    grid.replaceChildren(make("div", {class: "name"}),
                         ...chooser.heads.map(head => make("div", {class: "name"}, head === "all" ? "" : String(head))));
    for (const layer of chooser.layers) {
        grid.append(make("div", {class: "name", style: `line-height: ${chooser.size + 4}px; padding-right: 5px`},
                         String(layer)));
        for (const head of chooser.heads)
            grid.append(headElement(text.heads.findIndex(h => h.layer === layer && h.head === head)));
    }
    kind.paintHeads();
    markHead();
}

function headElement(index) {
    if (index < 0)
        return make("div");
    const head = theText().heads[index];
    const element = make("div", {class: "head", role: "option", id: `head-${headName(head)}`, "aria-selected": "false",
                                 "aria-label": headTitle(head), title: headTitle(head)});
    element.style.height = `${chooser.size + 4}px`;
    element.style.lineHeight = `${chooser.size}px`;
    element.onclick = () => {
        $("heads").focus();
        chooseHead(index);
    };
    return element;
}

const headElementOf = index => $(`head-${headName(theText().heads[index])}`);

function paintThumbnails() {
    const text = theText(), {rows, columns} = text, size = chooser.size;
    if (text.heads.length === 0 || rows * columns === 0)
        return;
    const block = Math.max(1, Math.ceil(Math.max(rows, columns) / size));
    const high = Math.ceil(rows / block), wide = Math.ceil(columns / block);
    const {canvas, context} = makeCanvas($("heads").offsetWidth, $("heads").offsetHeight);
    canvas.style.left = canvas.style.top = "0";
    text.heads.forEach((head, i) => {
        const pixels = text.pixels.subarray(i * rows * columns, (i + 1) * rows * columns);
        const small = block === 1 ? pixels : poolPixels(pixels, rows, columns, block, meta.range);
        const scale = size / Math.max(high, wide), element = headElementOf(i);
        context.strokeStyle = styleColor("--line");
        context.strokeRect(element.offsetLeft + 1.5, element.offsetTop + 1.5, size + 1, size + 1);
        context.drawImage(pictureOf(small, high, wide, paletteFor(meta.range)),
                          element.offsetLeft + 2, element.offsetTop + 2, wide * scale, high * scale);
    });
    $("heads").prepend(canvas);
}

function markHead() {
    if (theText().heads.length === 0)
        return;
    $("heads").querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    const element = headElementOf(state.head);
    element.setAttribute("aria-selected", "true");
    $("heads").setAttribute("aria-activedescendant", element.id);
    element.scrollIntoView({block: "nearest", inline: "nearest"});
}

// The head that lies DOWN layers below and RIGHT heads beside the chosen one, or the nearest before the edge.
function neighborHead(down, right) {
    const {layers, heads} = chooser, all = theText().heads, at = all[state.head];
    let layer = layers.indexOf(at.layer), head = heads.indexOf(at.head);
    for (;;) {
        layer += down;
        head += right;
        if (layer < 0 || layer >= layers.length || head < 0 || head >= heads.length)
            return state.head;
        const found = all.findIndex(h => h.layer === layers[layer] && h.head === heads[head]);
        if (found >= 0)
            return found;
    }
}
