// draw.js: what the views draw with: elements, canvases as sharp as the screen, colors of the page, labels that fit.

const $ = id => document.getElementById(id);

function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const key in attributes)
        element.setAttribute(key, attributes[key]);
    element.append(...children);
    return element;
}

// A token stands for itself in every direction of writing: one from right to left turns nothing around it.
const tokenElement = label => make("bdi", {class: "token"}, label);

// A color of the style sheet, as light or dark has it.
const styleColor = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const FONT = "ui-monospace, monospace";

// A canvas of that many pixels of the page, and what draws on it.
function makeCanvas(width, height, className = "") {
    const scale = window.devicePixelRatio || 1, canvas = make("canvas", {class: className});
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.imageSmoothingEnabled = false;
    return {canvas, context};
}

// Pixels as a picture of that size; 0 is clear.
function pictureOf(pixels, rows, columns, palette) {
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, columns);
    canvas.height = Math.max(1, rows);
    if (rows === 0 || columns === 0)
        return canvas;
    const context = canvas.getContext("2d"), image = context.createImageData(columns, rows);
    pixels.forEach((pixel, at) => {
        if (pixel) {
            image.data.set(palette[pixel], 4 * at);
            image.data[4 * at + 3] = 255;
        }
    });
    context.putImageData(image, 0, 0);
    return canvas;
}

// LABEL cut with … so that it is no wider than WIDTH.
function fitLabel(context, label, width) {
    if (context.measureText(label).width <= width)
        return label;
    const letters = [...new Intl.Segmenter().segment(label)].map(part => part.segment);
    while (letters.length > 0 && context.measureText(`${letters.join("")}…`).width > width)
        letters.pop();
    return `${letters.join("")}…`;
}

// A token's place and the token, on a ground of its own when it is one that was looked for.
function drawLabel(context, text, x, y, {align, width, found, chosen}) {
    const label = fitLabel(context, text, width), size = context.measureText(label).width;
    if (found) {
        context.fillStyle = styleColor("--found");
        context.fillRect(align === "right" ? x - size - 2 : x - 2, y - 7, size + 4, 14);
    }
    context.textAlign = align;
    context.textBaseline = "middle";
    context.direction = "ltr";
    context.fillStyle = styleColor(chosen ? "--on" : "--ink");
    context.fillText(label, x, y);
    if (chosen) /* bolder without being wider */
        context.fillText(label, x + .4, y);
}
