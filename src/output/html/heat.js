// heat.js: the map of a head, a square a cell; whole, or a window of it that follows the chosen cell. A map that has
// more cells than the page has room for is pooled: each point the largest of a square of cells.

const heat = {cell: 1, block: 1, left: 0, top: 0, row: 0, column: 0, rows: 0, columns: 0};
const CELLS = [2, 3, 4, 6, 8, 11, 15, 20, 26], LEAST_LABELLED = 11, MOST_CELL = 28;

const AFTER = 16; // room for half of the last number
const viewWidth = () => Math.max(240, $("view").clientWidth - AFTER);
const viewTop = () => $("view").getBoundingClientRect().top + window.scrollY;
const viewHeight = () => Math.max(260, window.innerHeight - viewTop() - 50);
const labelOf = (side, index) => `${side.positions[index]} ${side.labels[index]}`;

function labelRoom(context, side, most) {
    const lengths = side.labels.slice(0, 2000).map((_, i) => context.measureText(labelOf(side, i)).width);
    return Math.ceil(Math.min(most, lengths.reduce((a, b) => Math.max(a, b), 0))) + 6;
}

// The room beside and above cells of that size.
function marginsFor(context, cell) {
    const text = theText();
    return cell >= LEAST_LABELLED
        ? {left: labelRoom(context, text.queries, 130), top: labelRoom(context, text.keys, 110)}
        : {left: 44, top: 20};
}

function fitHeat(context) {
    const width = viewWidth(), height = viewHeight();
    const cellFor = margins => Math.min(MOST_CELL, Math.floor((width - margins.left) / map.columns),
                                        Math.floor((height - margins.top) / map.rows));
    let margins = marginsFor(context, LEAST_LABELLED), cell = cellFor(margins);
    if (cell < LEAST_LABELLED) {
        margins = marginsFor(context, 1);
        cell = Math.min(LEAST_LABELLED - 1, cellFor(margins));
    }
    const block = cell >= 1 ? 1 : Math.max(Math.ceil(map.columns / (width - margins.left)),
                                           Math.ceil(map.rows / (height - margins.top)));
    Object.assign(heat, margins,
                  {cell: Math.max(1, cell), block, row: 0, column: 0, rows: map.rows, columns: map.columns});
}

function zoomHeat(context) {
    const larger = CELLS.filter(cell => cell > heat.cell || heat.block > 1);
    state.zoom = Math.min(state.zoom, larger.length);
    if (state.zoom === 0)
        return;
    const cell = larger[state.zoom - 1], margins = marginsFor(context, cell);
    const rows = Math.min(map.rows, Math.max(1, Math.floor((viewHeight() - margins.top) / cell)));
    const columns = Math.min(map.columns, Math.max(1, Math.floor((viewWidth() - margins.left) / cell)));
    const from = (index, shown, all) => Math.max(0, Math.min(all - shown, Math.round(index - shown / 2)));
    Object.assign(heat, margins, {cell, block: 1, rows, columns,
                                  row: from(Math.max(0, state.query), rows, map.rows),
                                  column: from(Math.max(0, state.key), columns, map.columns)});
}

// The cells in sight, as a picture.
function heatPicture() {
    if (heat.block > 1) {
        const pooled = pool(map, heat.block), pixels = pixelsOf(pooled, meta.range, state.shade);
        return pictureOf(pixels, pooled.rows, pooled.columns, paletteFor(meta.range));
    }
    const pixels = new Uint8Array(heat.rows * heat.columns);
    for (let i = 0, at = 0; i < heat.rows; i++)
        for (let j = 0; j < heat.columns; j++, at++)
            if (isVisible(heat.row + i, heat.column + j))
                pixels[at] = pixelOf(meta.range, share(valueAt(heat.row + i, heat.column + j), heat.row + i));
    return pictureOf(pixels, heat.rows, heat.columns, paletteFor(meta.range));
}

function drawHeatLabels(context) {
    const text = theText(), labelled = heat.cell >= LEAST_LABELLED, pitch = heat.cell / heat.block;
    const step = labelled ? 1 : [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find(n => n * pitch >= 36) ?? 10000;
    const found = foundTokens(), nameOf = (side, i) => labelled ? labelOf(side, i) : String(side.positions[i]);
    context.font = labelled ? `${Math.min(13, heat.cell + 1)}px ${FONT}` : `11px ${FONT}`;
    for (let i = 0; i < heat.rows; i++)
        if ((heat.row + i) % step === 0)
            drawLabel(context, nameOf(text.queries, heat.row + i), heat.left - 4, heat.top + (i + .5) * pitch,
                      {align: "right", width: heat.left - 6, found: labelled && found.queries.has(heat.row + i),
                       chosen: labelled && heat.row + i === state.query});
    for (let j = 0; j < heat.columns; j++) {
        if ((heat.column + j) % step !== 0)
            continue;
        context.save();
        context.translate(heat.left + (j + .5) * pitch, heat.top - 4);
        if (labelled)
            context.rotate(-Math.PI / 2);
        else
            context.translate(-4, -6);
        drawLabel(context, nameOf(text.keys, heat.column + j), 0, 0,
                  {align: "left", width: labelled ? heat.top - 6 : 60,
                   found: labelled && found.keys.has(heat.column + j),
                   chosen: labelled && heat.column + j === state.key});
        context.restore();
    }
}

// Marks a cell on the canvas that lies over the map.
function markCell(query, key) {
    const over = $("view").querySelector(".over"), context = over.getContext("2d"), pitch = heat.cell / heat.block;
    context.clearRect(0, 0, over.width, over.height);
    if (query < heat.row || key < heat.column || query >= heat.row + heat.rows || key >= heat.column + heat.columns)
        return;
    const x = heat.left + (key - heat.column) * pitch, y = heat.top + (query - heat.row) * pitch;
    const size = Math.max(4, pitch), middle = (pitch - size) / 2;
    context.fillStyle = styleColor("--on");
    context.fillRect(heat.left - 3, y + middle, 3, size);
    context.fillRect(x + middle, heat.top - 3, size, 3);
    for (const [color, wider] of [["#000", 1.5], ["#fff", .5]]) {
        context.strokeStyle = color;
        context.strokeRect(x + middle - wider, y + middle - wider, size + 2 * wider, size + 2 * wider);
    }
}

// The cell under the pointer; of a pooled point the largest.
function cellAt(event) {
    const box = $("view").querySelector("canvas").getBoundingClientRect(), pitch = heat.cell / heat.block;
    const point = heat.block > 1 ? heat.block : 1;
    const row = Math.floor((event.clientY - box.top - heat.top) / pitch / point) * point + heat.row;
    const column = Math.floor((event.clientX - box.left - heat.left) / pitch / point) * point + heat.column;
    if (row < heat.row || column < heat.column || row >= heat.row + heat.rows || column >= heat.column + heat.columns)
        return null;
    let best = {query: row, key: column};
    for (let i = row; i < Math.min(map.rows, row + point); i++)
        for (let j = column; j < Math.min(map.columns, column + point); j++)
            if (isVisible(i, j) && (!isVisible(best.query, best.key) ||
                                    isLarger(valueAt(i, j), valueAt(best.query, best.key))))
                best = {query: i, key: j};
    return best;
}

function showHeat() {
    const probe = makeCanvas(1, 1).context;
    probe.font = `13px ${FONT}`;
    fitHeat(probe);
    zoomHeat(probe);
    const pitch = heat.cell / heat.block;
    const width = heat.left + heat.columns * pitch + AFTER, height = heat.top + heat.rows * pitch + 3;
    const {canvas, context} = makeCanvas(width, height), over = makeCanvas(width, height, "over");
    const picture = heatPicture();
    context.drawImage(picture, heat.left, heat.top, picture.width * heat.cell, picture.height * heat.cell);
    context.strokeStyle = styleColor("--line");
    context.strokeRect(heat.left - .5, heat.top - .5, heat.columns * pitch + 1, heat.rows * pitch + 1);
    drawHeatLabels(context);
    $("view").replaceChildren(canvas, over.canvas);
    canvas.onmousemove = event => {
        const cell = cellAt(event);
        if (cell) {
            sayCell(cell.query, cell.key);
            markCell(cell.query, cell.key);
        }
    };
    canvas.onmouseleave = () => {
        sayChosen();
        markCell(state.query, state.key);
    };
    canvas.onclick = event => {
        const cell = cellAt(event);
        if (cell)
            chooseCell(cell.query, cell.key);
    };
    markCell(state.query, state.key);
}
