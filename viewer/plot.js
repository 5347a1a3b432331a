/*
 * Where plots stand on the page: small ones side by side, each with a button that opens it large, in the dialog, where it
 * can be read, zoomed and saved as a file.
 */
'use strict';

/* ---- Saving ---------------------------------------------------------------------------------------------------------- */

const STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'opacity', 'font-family', 'font-size', 'font-weight', 'display'];

/* The plot as an SVG file: with the styles of the style sheet written into it, in the colours of the light theme. */
function standaloneSvg(svg) {
    const root = document.documentElement, theme = root.dataset.theme;
    root.dataset.theme = 'light';
    const copy = svg.cloneNode(true);
    const from = [svg, ...svg.querySelectorAll('*')], to = [copy, ...copy.querySelectorAll('*')];
    from.forEach((element, i) => {
        const style = getComputedStyle(element);
        for (const name of STYLES)
            to[i].style.setProperty(name, style.getPropertyValue(name));
    });
    if (theme)
        root.dataset.theme = theme;
    else
        delete root.dataset.theme;
    const {width, height} = svg.viewBox.baseVal;
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('width', width);
    copy.setAttribute('height', height);
    copy.querySelectorAll('.surface, .cross').forEach(element => element.remove());
    const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    paper.setAttribute('width', width);
    paper.setAttribute('height', height);
    paper.setAttribute('fill', '#fff');
    copy.insertBefore(paper, copy.firstChild);
    return new XMLSerializer().serializeToString(copy);
}

function savePng(svg, name) {
    const text = standaloneSvg(svg), image = new Image(), factor = 2;
    const {width, height} = svg.viewBox.baseVal;
    image.onload = () => {
        const canvas = h('canvas', {width: width * factor, height: height * factor});
        canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob(blob => save(`${fileName(name)}.png`, 'image/png', blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

function curveRows(curves) {
    const isColumn = (curve, key) => Array.isArray(curve[key]) && curve[key].length === curve.x.length && !['x', 'knees', 'levels'].includes(key);
    const names = [...new Set(curves.flatMap(curve => Object.keys(curve).filter(key => isColumn(curve, key))))];
    return [['curve', 'axis', 'x', 'unit', ...names],
            ...curves.flatMap(curve => curve.x.map((x, i) => [curve.name, curve.axis, x, curve.unit, ...names.map(name => curve[name] ? curve[name][i] : null)]))];
}

const matrixRows = matrix => [[`${matrix.row_axis} \\ ${matrix.column_axis}`, ...matrix.columns],
                              ...matrix.rows.map((row, i) => [row, ...matrix.cells[i]])];

/* ---- Small plots, and the large one ---------------------------------------------------------------------------------- */

const large = document.getElementById('large');

function showLarge(title, build) {
    const body = document.getElementById('large-body');
    document.getElementById('large-title').textContent = title;
    body.replaceChildren();
    if (!large.open)
        large.showModal();
    build(body, Math.max(320, Math.min(1200, body.clientWidth)));
    document.getElementById('large-title').focus();
}

const saveButtons = (plot, title, rows) => [
    button('Save as SVG', () => save(`${fileName(title)}.svg`, 'image/svg+xml', standaloneSvg(plot.svg))),
    button('Save as PNG', () => savePng(plot.svg, title)),
    button('Save as CSV', () => saveCsv(title, rows))];

function largeCurves(title, curves, more) {
    showLarge(title, (body, width) => {
        const bar = h('div', {class: 'toolbar', role: 'toolbar', 'aria-label': 'Plot'});
        const host = h('div', {class: 'plot-host'});
        const said = h('p', {class: 'quiet said', 'aria-live': 'polite'});
        body.append(bar, host, said, legend(curves), ...(more || []));
        const plot = drawCurves(host, curves, {width, height: Math.max(260, Math.min(520, innerHeight * 0.55)), large: true,
                                               say: text => { said.textContent = text; }});
        const axis = (which, text, can) => button(text, event => {
            plot.toggle(which);
            event.target.setAttribute('aria-pressed', plot.state[which]);
        }, {'aria-pressed': String(plot.state[which]), disabled: !can});
        bar.append(axis('logX', 'Logarithmic x axis', plot.state.canLogX), axis('logY', 'Logarithmic y axis', plot.state.canLogY),
                   button('Zoom in', () => plot.zoomBy(1.5)), button('Zoom out', () => plot.zoomBy(1 / 1.5)), button('Show all', () => plot.reset()),
                   h('span', {class: 'gap'}),
                   ...saveButtons(plot, title, curveRows(curves)));
        said.textContent = 'Point at the plot to see values, drag to move it, turn the wheel to zoom. Keys: left and right arrow for values, + and − to zoom, 0 to show all.';
    });
}

function largeMatrix(title, matrix) {
    showLarge(title, (body, width) => {
        const bar = h('div', {class: 'toolbar', role: 'toolbar', 'aria-label': 'Heat map'});
        const host = h('div', {class: 'plot-host'});
        const said = h('p', {class: 'quiet said', 'aria-live': 'polite'}, 'Point at a cell to see its value, or move from cell to cell with the arrow keys.');
        body.append(bar, host, said);
        const plot = drawMatrix(host, matrix, {width, large: true, say: text => { said.textContent = text; }});
        bar.append(...saveButtons(plot, title, matrixRows(matrix)));
    });
}

/*
 * A picture of its own kind, drawn from top to bottom: a class that extends this one draws what it shows at this.height,
 * which it moves down, and then calls finish().
 */
class Picture {
    /* Draws into host, `width` pixels wide. kind: the class of the style sheet. */
    constructor(host, width, kind, label) {
        this.width = width;
        this.height = 8;
        this.root = d3.select(host).append('svg').attr('class', `plot ${kind}`).attr('role', 'img').attr('aria-label', label);
    }

    get svg() {
        return this.root.node();
    }

    text(x, y, words, anchor = 'start', kind = 'tick') {
        return this.root.append('text').attr('class', kind).attr('x', x).attr('y', y).attr('text-anchor', anchor).text(words);
    }

    finish() {
        this.root.attr('viewBox', `0 0 ${this.width} ${this.height}`).attr('width', this.width).attr('height', this.height);
    }
}

/*
 * A section of the overview with a picture: draw(host, width) makes it, rows(picture) gives what it is saved as. kind: the
 * class of the section.
 */
function pictureFigure(kind, heading, title, note, draw, rows) {
    const large = () => showLarge(title, (body, width) => {
        const bar = h('div', {class: 'toolbar', role: 'toolbar', 'aria-label': 'Picture'}), host = h('div', {class: 'plot-host'});
        body.append(bar, host);
        const picture = draw(host, width);
        bar.append(...saveButtons(picture, title, rows(picture)));
    });
    return h('section', {class: kind}, h('h2', {}, heading),
             smallPlot(title, note, host => draw(host, Math.round(Math.max(320, Math.min(900, host.clientWidth || 640)))), large));
}

/* As wide as its place on the page, so that letters have the same size in all plots. */
const small = host => ({width: Math.round(Math.max(280, Math.min(640, host.clientWidth || 440))), height: 240});
const PLOTS = 60; /* shown at first */

function smallPlot(title, note, draw, open) {
    const host = lazily(h('div', {class: 'plot-host', style: 'min-height:150px'}), element => {
        element.removeAttribute('style');
        draw(element);
    });
    return h('figure', {class: 'small-plot'},
             h('figcaption', {}, button(title, open, {class: 'link', title: 'Open this plot large: zoom, read values, save as a file'}), note ? h('span', {class: 'quiet'}, ` ${note}`) : null), host);
}

/* Plots of curves and matrices side by side; with `together`, curves of the same axes share a plot. */
function plotGrid(curves, matrices, together, prefix = '') {
    const plot = group => {
        const name = group.map(curve => curve.name).filter((each, i, all) => all.indexOf(each) === i).join(' · ');
        const reason = group.length === 1 && group[0].reason;
        const figure = smallPlot(name, reason ? reasonText(reason) : '', host => drawCurves(host, group, small(host)), () => largeCurves(`${prefix}${name}`, group));
        if (group.length > 1)
            figure.append(legend(group));
        return figure;
    };
    const heat = matrix => smallPlot(matrix.name, matrix.unit, host => drawMatrix(host, matrix, small(host)), () => largeMatrix(`${prefix}${matrix.name}`, matrix));
    const all = [...(together ? plotsOf(curves) : curves.map(curve => [curve])).map(group => () => plot(group)), ...matrices.map(matrix => () => heat(matrix))];
    const grid = h('div', {class: all.length === 1 ? 'plots one' : 'plots'});
    return [grid, portions(grid, all, make => make(), PLOTS)];
}
