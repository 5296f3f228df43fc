// lines.js: queries at the left, keys at the right, a line a pair, the darker the more. Only what is in sight is drawn,
// so that a long text costs no more than a short one.

const LEAST_SHARE = .02, lines = {row: 19, top: 0, shown: 0, left: 0, right: 0, number: 0};

function lineColor(value) {
    const [r, g, b] = meta.range === "signed" ? paletteFor("signed")[value < 0 ? 20 : 235] : [0, 0, 0];
    return meta.range === "signed" ? `rgb(${r} ${g} ${b})` : styleColor("--on");
}

function drawLine(context, query, key) {
    const size = Math.abs(share(valueAt(query, key), query));
    if (!isVisible(query, key) || size < LEAST_SHARE)
        return;
    context.globalAlpha = size;
    context.strokeStyle = lineColor(valueAt(query, key));
    context.beginPath();
    context.moveTo(lines.left, (query - lines.top + .5) * lines.row);
    context.lineTo(lines.right, (key - lines.top + .5) * lines.row);
    context.stroke();
}

// Lines of which an end is in sight; of a chosen token only its own.
function drawAllLines(context) {
    const seen = index => index >= lines.top && index < lines.top + lines.shown;
    const only = state.query < 0 ? "" : state.side;
    context.lineWidth = 2;
    for (let query = 0; query < map.rows; query++) {
        if (only === "query" && query !== state.query)
            continue;
        for (let key = 0; key < map.columns; key++)
            if ((only !== "key" || key === state.key) && (seen(query) || seen(key)))
                drawLine(context, query, key);
    }
    context.globalAlpha = 1;
}

function drawSide(context, side, name, found) {
    const other = name === "query" ? "key" : "query", isChosen = state.side === name;
    const x = name === "query" ? lines.left - 6 : lines.right + 6, align = name === "query" ? "right" : "left";
    for (let i = lines.top; i < Math.min(side.labels.length, lines.top + lines.shown); i++) {
        const y = (i - lines.top + .5) * lines.row;
        drawLabel(context, labelOf(side, i), x, y, {align, width: lines.left - lines.number - 10, found: found.has(i),
                                                    chosen: state[name] === i && isChosen && state.query >= 0});
        if (state.query >= 0 && state.side === other)
            drawNumber(context, other === "query" ? [state.query, i] : [i, state.key], y, name);
    }
}

// What the chosen token has to do with this one, at the page's side, digits under digits.
function drawNumber(context, [query, key], y, name) {
    context.textAlign = "right";
    context.fillStyle = styleColor("--dim");
    context.fillText(isVisible(query, key) ? decimalsOf(valueAt(query, key), meta.decimals) : "·",
                     name === "key" ? lines.right + lines.left - 2 : lines.number - 6, y);
}

function tokenAt(event) {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor((event.clientY - box.top) / lines.row) + lines.top;
    const side = event.clientX - box.left < (lines.left + lines.right) / 2 ? "query" : "key";
    return index >= 0 && index < (side === "query" ? map.rows : map.columns) ? {side, index} : null;
}

function showLines() {
    const most = Math.max(map.rows, map.columns), text = theText(), found = foundTokens();
    const shown = Math.min(most, Math.max(4, Math.floor(viewHeight() / lines.row)));
    const about = Math.max(0, state.side === "query" ? state.query : state.key);
    if (about < lines.top || about >= lines.top + shown || lines.shown !== shown)
        lines.top = about - Math.floor(shown / 2);
    lines.top = Math.max(0, Math.min(most - shown, lines.top));
    const width = Math.min(viewWidth(), 780), side = Math.min(230, Math.floor(width * .36));
    const {canvas, context} = makeCanvas(width, shown * lines.row);
    context.font = `13px ${FONT}`;
    const number = context.measureText(decimalsOf(-map.largest, meta.decimals)).width + 12;
    Object.assign(lines, {shown, left: side, right: width - side, number});
    drawAllLines(context);
    drawSide(context, text.queries, "query", found.queries);
    drawSide(context, text.keys, "key", found.keys);
    canvas.onclick = event => {
        const token = tokenAt(event);
        if (token)
            chooseToken(token.side, token.index);
    };
    canvas.onmousemove = event => {
        const token = tokenAt(event);
        const other = token && largestFor(token.side, token.index);
        if (token && (event.offsetX < lines.left || event.offsetX > lines.right))
            sayCell(token.side === "query" ? token.index : other, token.side === "query" ? other : token.index);
    };
    canvas.onwheel = event => {
        if (shown === most)
            return;
        event.preventDefault();
        lines.top += Math.sign(event.deltaY) * 3;
        lines.top = Math.max(0, Math.min(most - shown, lines.top));
        Object.assign(state, {query: -1, key: -1});
        showLines();
    };
    $("view").replaceChildren(canvas);
}
