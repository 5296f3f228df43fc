// plane.js: a page of points in a plane: layer by layer the arrows of the words that attention moves, and who pulls
// whom. A layer stands in the grid where pages of maps have heads.

let plane = null, bounds = null;
const SVG = "http://www.w3.org/2000/svg", SIDE = 520, MARGIN = 40;

const thePanel = () => theHead().panel;
const pointOf = index => thePanel().points[index];

function svgElement(name, attributes, ...children) {
    const element = document.createElementNS(SVG, name);
    for (const key in attributes)
        element.setAttribute(key, attributes[key]);
    element.append(...children);
    return element;
}

// The same scale for all layers, and for both axes.
function boundsOf(points) {
    const all = points.flatMap(point => [point.before, point.after]).filter(at => at.every(Number.isFinite));
    const xs = [0, ...all.map(at => at[0])], ys = [0, ...all.map(at => at[1])];
    const least = values => values.reduce((a, b) => Math.min(a, b));
    const most = values => values.reduce((a, b) => Math.max(a, b));
    return {left: least(xs), low: least(ys), size: Math.max(most(xs) - least(xs), most(ys) - least(ys)) || 1};
}

const across = x => MARGIN + (x - bounds.left) / bounds.size * (SIDE - 2 * MARGIN);
const down = y => SIDE - MARGIN - (y - bounds.low) / bounds.size * (SIDE - 2 * MARGIN);
const place = ([x, y]) => [across(x), down(y)];

function textAt([x, y], label, color) {
    return svgElement("text", {x: x + 7, y: y - 6, fill: styleColor(color), "font-size": 13, "font-family": FONT}, label);
}

function lineBetween([x1, y1], [x2, y2], attributes) {
    return svgElement("line", {x1, y1, x2, y2, ...attributes});
}

function bandElements() {
    const chosen = state.query;
    return thePanel().pairs.filter(([query, key, weight]) => query !== key && weight >= .02 &&
                                                             (chosen < 0 || query === chosen))
        .map(([query, key, weight]) => lineBetween(place(pointOf(query).before), place(pointOf(key).before),
                                                   {stroke: "#0072b2", "stroke-width": 1 + 5 * weight, opacity: .45}));
}

function pointElements(point, index) {
    const from = place(point.before), to = place(point.after), [x, y] = from;
    const parts = [svgElement("circle", {cx: x, cy: y, r: 4, fill: "none", stroke: styleColor("--ink")}),
                   textAt(from, point.label, index === state.query ? "--on" : "--ink")];
    if (Math.hypot(to[0] - x, to[1] - y) >= 1)
        parts.push(lineBetween(from, to, {stroke: "#d55e00", "stroke-width": index === state.query ? 4 : 2.5,
                                          "marker-end": "url(#tip)"}));
    return parts;
}

// The number at an end of an axis.
function tickAt(end, axis) {
    const least = axis === "x" ? bounds.left : bounds.low, number = least + end * bounds.size;
    const [x, y] = axis === "x" ? [across(number), SIDE - MARGIN + 16] : [MARGIN - 4, down(number) + 4];
    return svgElement("text", {x, y, "text-anchor": axis === "x" ? "middle" : "end", "font-size": 11,
                               fill: styleColor("--dim")}, String(Number(number.toPrecision(3))));
}

function axisElements() {
    const [horizontal, vertical] = thePanel().axes, line = {stroke: styleColor("--line")};
    return [lineBetween(place([bounds.left, 0]), place([bounds.left + bounds.size, 0]), line),
            lineBetween(place([0, bounds.low]), place([0, bounds.low + bounds.size]), line),
            svgElement("text", {x: SIDE - MARGIN, y: SIDE - 8, "text-anchor": "end", fill: styleColor("--dim")},
                       horizontal),
            svgElement("text", {x: 6, y: 16, fill: styleColor("--dim")}, vertical),
            ...[0, 1].flatMap(end => [tickAt(end, "x"), tickAt(end, "y")])];
}

function showPlane() {
    const panel = thePanel(), finite = point => [...point.before, ...point.after].every(Number.isFinite);
    const picture = svgElement("svg",
        {width: SIDE + 2 * MARGIN, height: SIDE, role: "img", "aria-label": headTitle(theHead())},
        svgElement("marker", {id: "tip", orient: "auto", markerWidth: 5, markerHeight: 5, refX: 4, refY: 2.5},
                   svgElement("path", {d: "M0,0 L5,2.5 L0,5 z", fill: "#d55e00"})),
        ...axisElements(), ...bandElements(),
        ...plane.others.filter(finite).map(point => textAt(place(point.before), point.label, "--dim")),
        ...panel.points.flatMap((point, i) => finite(point) ? pointElements(point, i) : []));
    const pairs = panel.pairs.filter(([query]) => state.query < 0 || query === state.query)
        .sort((a, b) => b[3] - a[3]).slice(0, LISTED);
    const rows = pairs.map(([query, key, weight, pull]) => rowOf(
        [[tokenElement(pointOf(query).label), ` (${pointOf(query).position})`],
         [tokenElement(pointOf(key).label), ` (${pointOf(key).position})`],
         decimalsOf(Number(weight), meta.decimals), decimalsOf(Number(pull), meta.decimals)],
        false, () => choosePoint(query)));
    $("view").setAttribute("role", "group");
    $("view").replaceChildren(make("div", {class: "tables"}, picture,
        ...(rows.length > 0 ? [tableOf(["the largest pulls"], ["query", "key", "weight", "pull"], rows)] : [])));
    $("legend").replaceChildren("○ before, arrow to after; bands: the wider, the more weight (from 0.02 on)",
        plane.spread > 0 ? `; the plane shows ${Math.round(100 * plane.spread)} % of the points' spread` : "");
}

function sayPoint(before = "") {
    const point = state.query < 0 ? undefined : pointOf(state.query);
    say(before, point && before !== "" ? ": " : "",
        ...(point ? [tokenElement(point.label), ` (${point.position})`,
                     point.moves ? ` moves ${decimalsOf(Number(point.distance), meta.decimals)}` : ""] : []));
}

function choosePoint(index) {
    state.query = index;
    sayPoint();
    show();
}

function beginPlane() {
    plane = JSON.parse($("plane")?.textContent ?? '{"others": [], "panels": []}');
    for (const panel of plane.panels)
        texts.find(text => text.number === panel.text)?.heads.push({layer: panel.layer, head: "all", panel});
    texts.forEach((text, i) => {
        const words = text.heads[0]?.panel.points.slice(0, 8).map(point => point.label) ?? [];
        $("text").options[i].textContent += words.join(" ");
    });
    $("heads").setAttribute("aria-label", "layers; arrow keys choose one");
    bounds = boundsOf([...plane.others, ...plane.panels.flatMap(panel => panel.points)]);
}

kinds.plane = {
    bars: [],
    begin: beginPlane,
    load: () => true,
    say: sayPoint,
    show: showPlane,
    paintHeads: () => {},
    headSize: () => 28,
    move: ([step], far) => choosePoint(within(state.query < 0 ? 0 : state.query + step * far, thePanel().points.length)),
    keys: {"Escape": () => choosePoint(-1)},
};
