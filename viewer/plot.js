/*
 * Curves with their knees, and matrices as heat maps, drawn with d3.
 *
 * A small plot is a picture and a button; the large one in the dialog has axes to switch, zoom, values under the
 * pointer and the arrow keys, and can be saved.
 */
'use strict';

/* ---- What of a record is drawn --------------------------------------------------------------------------------------- */

const NOT_SERIES = new Set(['x', 'samples', 'rejected', 'knees', 'levels']);

/*
 * The series of a curve: the quantile that verdicts rest on, with the median beside it where there is one; otherwise
 * every array that is as long as x.
 */
function seriesOf(curve) {
    const names = Object.keys(curve).filter(key => !NOT_SERIES.has(key) && Array.isArray(curve[key]) && curve[key].length === curve.x.length);
    const main = names.includes('q20') ? ['q20'] : names;
    return main.map(name => ({
        name: main.length > 1 ? `${curve.name}: ${name}` : curve.name,
        x: curve.x, y: curve[name],
        median: name === 'q20' ? curve.median : null,
        knees: curve.knees || [], levels: curve.levels || [], curve,
    }));
}

/* Curves share a plot when their axes mean the same. */
function plotsOf(curves) {
    const groups = new Map();
    for (const curve of curves) {
        const key = `${curve.axis} ${curve.unit}`;
        if (!groups.has(key))
            groups.set(key, []);
        groups.get(key).push(curve);
    }
    return [...groups.values()];
}

function extent(series, pick) {
    let least = Infinity, most = -Infinity;
    for (const s of series)
        for (const value of pick(s))
            if (typeof value === 'number') {
                least = Math.min(least, value);
                most = Math.max(most, value);
            }
    return least <= most ? [least, most] : [0, 1];
}

const LOG_FROM = 32; /* an axis that spans more than this factor is better read logarithmically */

/* Powers of two for bytes, one, two and five times powers of ten for all else; as many as there is room for. */
function logTicks([from, to], bytes, room) {
    const all = [];
    if (bytes) {
        for (let power = Math.ceil(Math.log2(from)); 2 ** power <= to; power++)
            all.push(2 ** power);
        const step = Math.ceil(all.length / room);
        return all.filter((_, i) => i % step === 0);
    }
    for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power++)
        for (const digit of [1, 2, 5])
            if (digit * 10 ** power >= from && digit * 10 ** power <= to)
                all.push(Number(`${digit}e${power}`));
    const tens = all.filter(value => Number.isInteger(Number(Math.log10(value).toFixed(9))));
    return all.length <= room ? all : tens.length > 1 ? tens.filter((_, i) => i % Math.ceil(tens.length / room) === 0) : all.slice(0, room);
}

/* ---- A plot of curves ------------------------------------------------------------------------------------------------ */

let plotNumber = 0;

/*
 * Draws into host, and returns what the toolbar of a large plot acts upon. options: width, height, large, title.
 */
function drawCurves(host, curves, options) {
    const series = curves.flatMap(seriesOf);
    const axis = axisOf(curves[0].axis), unit = curves[0].unit || '';
    const large = options.large;
    const bySeries = series.length > 1;
    const width = options.width, height = options.height;
    const margin = {top: large ? 34 : 26, right: 14, bottom: large ? 48 : 40, left: 58};
    const inner = {width: width - margin.left - margin.right, height: height - margin.top - margin.bottom};
    const xs = extent(series, s => s.x), ys = extent(series, s => s.y);
    const state = {
        logX: xs[0] > 0 && xs[1] / xs[0] >= LOG_FROM, logY: ys[0] > 0 && ys[1] / ys[0] >= LOG_FROM,
        canLogX: xs[0] > 0, canLogY: ys[0] > 0, zoom: d3.zoomIdentity,
    };
    const clip = `clip-${++plotNumber}`;

    const svg = d3.select(host).append('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('class', large ? 'plot large' : 'plot')
        .attr('width', width).attr('height', height)
        .attr('role', 'img').attr('aria-label', describeCurves(curves));
    svg.append('clipPath').attr('id', clip).append('rect').attr('width', inner.width).attr('height', inner.height);
    const frame = svg.append('g').attr('transform', `translate(${margin.left},${margin.top})`);
    const grid = frame.append('g').attr('class', 'grid');
    const area = frame.append('g').attr('clip-path', `url(#${clip})`);
    const axisX = frame.append('g').attr('class', 'axis').attr('transform', `translate(0,${inner.height})`);
    const axisY = frame.append('g').attr('class', 'axis');
    const labels = frame.append('g').attr('class', 'knee-labels');
    svg.append('text').attr('class', 'axis-title').attr('text-anchor', 'end')
        .attr('x', width - margin.right).attr('y', height - 5).text(axis.unit && !axis.bytes ? `${axis.title} (${axis.unit})` : axis.title);
    svg.append('text').attr('class', 'axis-title').attr('x', 2).attr('y', 12).text(unit);
    const cross = area.append('g').attr('class', 'cross').style('display', 'none');
    cross.append('line').attr('y2', inner.height);

    function scales() {
        const pad = state.logX ? 0 : (xs[1] - xs[0]) * 0.02 || 0.5;
        const baseX = state.logX ? d3.scaleLog().domain([xs[0] * 0.94, xs[1] * 1.06]) : d3.scaleLinear().domain([xs[0] - pad, xs[1] + pad]);
        const flat = ys[1] - ys[0] < 0.12 * Math.abs(ys[1]); /* a curve that hardly moves is shown from near */
        const spare = (ys[1] - ys[0]) * 0.08 || Math.abs(ys[1]) * 0.05 || 1;
        const low = flat || ys[0] < 0 ? ys[0] - spare : 0;
        const baseY = state.logY ? d3.scaleLog().domain([ys[0] / 1.15, ys[1] * 1.15]) : d3.scaleLinear().domain([low, ys[1] + spare]);
        baseX.range([0, inner.width]);
        baseY.range([inner.height, 0]);
        return {x: state.zoom.rescaleX(baseX), y: state.zoom.rescaleY(baseY)};
    }

    let x, y;
    function draw() {
        ({x, y} = scales());
        const roomX = Math.max(3, Math.floor(inner.width / (axis.bytes ? 62 : 58))), roomY = Math.max(3, Math.floor(inner.height / 34));
        const ticksX = state.logX ? logTicks(x.domain(), axis.bytes, roomX) : x.ticks(roomX);
        const ticksY = state.logY ? logTicks(y.domain(), false, roomY) : y.ticks(roomY);
        axisX.call(d3.axisBottom(x).tickValues(ticksX.length > 1 ? ticksX : x.ticks(4)).tickFormat(value => axisValue(axis, value)).tickSize(4).tickPadding(5));
        axisY.call(d3.axisLeft(y).tickValues(ticksY.length > 1 ? ticksY : y.ticks(4)).tickFormat(value => number(value)).tickSize(0).tickPadding(7));
        grid.selectAll('line').data(ticksY).join('line').attr('x2', inner.width).attr('y1', y).attr('y2', y);
        const place = d => typeof d[1] === 'number' && typeof d[0] === 'number' && (!state.logY || d[1] > 0);
        const line = d3.line().defined(place).x(d => x(d[0])).y(d => y(d[1]));
        const pairs = s => s.x.map((value, i) => [value, s.y[i]]);

        area.selectAll('.series').data(series).join(enter => {
            const g = enter.append('g').attr('class', (_, i) => `series series-${i % 6}`);
            for (const part of ['knees', 'levels', 'points'])
                g.append('g').attr('class', part);
            g.append('path').attr('class', 'median');
            g.append('path').attr('class', 'line');
            return g;
        }).each(function each(s) {
            const g = d3.select(this);
            g.select('.line').attr('d', line(pairs(s)));
            g.select('.median').attr('d', s.median && large ? line(s.x.map((value, i) => [value, s.median[i]])) : null);
            g.select('.points').selectAll('circle').data(pairs(s).filter(place)).join('circle')
                .attr('cx', d => x(d[0])).attr('cy', d => y(d[1])).attr('r', large ? 2.6 : 1.7);
            g.select('.levels').selectAll('line').data(s.levels.filter(l => typeof l.height === 'number')).join('line')
                .attr('x1', l => x(l.from)).attr('x2', l => x(l.to)).attr('y1', l => y(l.height)).attr('y2', l => y(l.height));
            const knees = s.knees.filter(knee => typeof knee.value === 'number');
            const bands = g.select('.knees').selectAll('g').data(knees).join(enter => {
                const one = enter.append('g');
                one.append('rect');
                one.append('line');
                return one;
            });
            const low = knee => x(typeof knee.low === 'number' ? knee.low : knee.value);
            const high = knee => x(typeof knee.high === 'number' ? knee.high : knee.value);
            bands.select('rect').attr('x', low).attr('width', knee => Math.max(1, high(knee) - low(knee))).attr('height', inner.height);
            bands.select('line').attr('x1', knee => x(knee.value)).attr('x2', knee => x(knee.value)).attr('y2', inner.height);
        });
        labelKnees();
        cross.raise();
    }

    /* Above the plot, from left to right; one that would cover its neighbour is left out, the band stays. */
    function labelKnees() {
        const all = series.flatMap((s, i) => s.knees.filter(knee => typeof knee.value === 'number')
            .map(knee => ({series: i, text: axisValue(axis, knee.value), at: x(knee.value)})))
            .filter(knee => knee.at >= 0 && knee.at <= inner.width).sort((a, b) => a.at - b.at);
        const shown = [];
        for (const knee of all) {
            const before = shown[shown.length - 1];
            if (!before || knee.at - before.at > 7 * Math.max(knee.text.length, before.text.length) + 4)
                shown.push(knee);
        }
        labels.selectAll('text').data(shown).join('text').attr('class', knee => `knee-label series-${knee.series % 6}`)
            .attr('x', knee => knee.at).attr('y', -5)
            .attr('text-anchor', knee => knee.at < 20 ? 'start' : knee.at > inner.width - 24 ? 'end' : 'middle').text(knee => knee.text);
    }

    /* ---- Pointing ---- */

    const positions = [...new Set(series.flatMap(s => s.x))].sort((a, b) => a - b);
    let at = -1;

    function valuesAt(value) {
        const lines = [{text: axis.unit && !axis.bytes ? `${axis.title} ${axisValue(axis, value)} ${axis.unit}` : `${axis.title} ${axisValue(axis, value)}`, class: 'strong'}];
        series.forEach((s, i) => {
            const where = s.x.indexOf(value);
            if (where < 0)
                return;
            const more = [];
            if (s.median && s.median[where] !== s.y[where])
                more.push(`median ${number(s.median[where])}`);
            if (s.curve.samples)
                more.push(`${s.curve.samples[where]} samples`);
            if (s.curve.rejected && s.curve.rejected[where])
                more.push(`${s.curve.rejected[where]} readings rejected`);
            lines.push({colour: bySeries ? i % 6 : null, text: `${bySeries ? s.name + ': ' : ''}${number(s.y[where])} ${unit}`});
            if (more.length)
                lines.push({text: more.join(', '), class: 'quiet'});
        });
        return lines;
    }

    function point(index, clientX, clientY) {
        at = index;
        const value = positions[at];
        cross.style('display', null).select('line').attr('x1', x(value)).attr('x2', x(value));
        cross.selectAll('circle').data(series.map((s, i) => ({i, y: s.y[s.x.indexOf(value)]})).filter(d => typeof d.y === 'number'))
            .join('circle').attr('class', d => `series-${d.i % 6}`).attr('r', 4).attr('cx', x(value)).attr('cy', d => y(d.y));
        const lines = valuesAt(value);
        if (options.say)
            options.say(lines.map(each => each.text).join('; '));
        const box = svg.node().getBoundingClientRect();
        const scale = box.width / width;
        showTip(lines, clientX === undefined ? box.left + (margin.left + x(value)) * scale : clientX,
                clientY === undefined ? box.top + margin.top * scale : clientY);
    }

    function leave() {
        cross.style('display', 'none');
        hideTip();
    }

    const surface = frame.append('rect').attr('class', 'surface').attr('width', inner.width).attr('height', inner.height);
    surface.on('pointermove', () => {
        const event = d3.event;
        const box = svg.node().getBoundingClientRect();
        const px = (event.clientX - box.left) * width / box.width - margin.left;
        let best = 0;
        positions.forEach((value, i) => {
            if (Math.abs(x(value) - px) < Math.abs(x(positions[best]) - px))
                best = i;
        });
        point(best, event.clientX, event.clientY);
    }).on('pointerleave', leave);

    const zoom = d3.zoom().scaleExtent([1, 200]).translateExtent([[0, 0], [inner.width, inner.height]]).extent([[0, 0], [inner.width, inner.height]])
        .filter(() => !d3.event.button && (!d3.event.touches || d3.event.touches.length > 1))
        .on('zoom', () => {
            state.zoom = d3.event.transform;
            draw();
        });
    if (large) {
        surface.call(zoom);
        svg.attr('tabindex', 0).attr('role', 'application').attr('aria-roledescription', 'plot')
            .on('keydown', () => {
                const event = d3.event;
                const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
                if (step)
                    point(Math.max(0, Math.min(positions.length - 1, at + step)));
                else if (event.key === '+' || event.key === '-')
                    surface.call(zoom.scaleBy, event.key === '+' ? 1.5 : 1 / 1.5);
                else if (event.key === '0')
                    surface.call(zoom.transform, d3.zoomIdentity);
                else
                    return;
                event.preventDefault();
            }).on('blur', leave);
    }
    draw();
    return {
        svg: svg.node(), state,
        toggle(which) {
            state[which] = !state[which];
            surface.call(zoom.transform, d3.zoomIdentity);
            draw();
        },
        zoomBy: factor => surface.call(zoom.scaleBy, factor),
        reset: () => surface.call(zoom.transform, d3.zoomIdentity),
    };
}

/* For those who don't see it: what is drawn, and where it bends. */
function describeCurves(curves) {
    return curves.map(curve => {
        const axis = axisOf(curve.axis);
        const knees = (curve.knees || []).filter(knee => typeof knee.value === 'number').map(knee => axisValue(axis, knee.value));
        const levels = (curve.levels || []).map(level => number(level.height));
        return `Curve ${curve.name}, ${curve.unit || ''} over ${axis.title}, ${curve.x.length} points; ` +
            (knees.length ? `knees at ${knees.join(', ')}` : `no knee${curve.reason ? `, ${curve.reason}` : ''}`) +
            (levels.length ? `; levels ${levels.join(', ')}` : '');
    }).join('. ');
}

function legend(curves) {
    const series = curves.flatMap(seriesOf);
    return h('ul', {class: 'legend'}, series.map((s, i) => {
        const axis = axisOf(s.curve.axis);
        const knees = s.knees.filter(knee => typeof knee.value === 'number').map(knee =>
            `${axisValue(axis, knee.value)} [${number(axis.bytes ? knee.low / 1024 : knee.low, 5)}, ${number(axis.bytes ? knee.high / 1024 : knee.high, 5)}]`);
        return h('li', {}, h('i', {class: `swatch series-${i % 6}`}), h('span', {}, s.name),
                 h('span', {class: 'quiet'}, knees.length ? ` knee at ${knees.join(', ')}` : s.curve.reason ? ` ${s.curve.reason}` : ''));
    }));
}

/* ---- A heat map ------------------------------------------------------------------------------------------------------ */

function drawMatrix(host, matrix, options) {
    const rows = matrix.rows, columns = matrix.columns;
    const values = matrix.cells.flat().filter(value => typeof value === 'number');
    const [least, most] = d3.extent(values.length ? values : [0, 1]);
    const log = least > 0 && most / least >= LOG_FROM;
    /* Differences that mean nothing shall not look like some. */
    const flat = most - least < 0.12 * Math.abs(most);
    const coloured = flat ? [most * 0.8, most * 1.2 || 1] : [least, most];
    const colour = (log ? d3.scaleSequentialLog(d3.interpolateYlGnBu) : d3.scaleSequential(d3.interpolateYlGnBu))
        .domain(coloured);
    const large = options.large;
    const margin = {top: 26, right: 12, bottom: 58, left: 66};
    const width = options.width, cellWidth = (width - margin.left - margin.right) / columns.length;
    const cellHeight = Math.max(18, Math.min(large ? 44 : 30, (large ? 420 : 200) / rows.length));
    const inner = {width: width - margin.left - margin.right, height: cellHeight * rows.length};
    const height = inner.height + margin.top + margin.bottom;
    const rowAxis = axisOf(matrix.row_axis), columnAxis = axisOf(matrix.column_axis);

    const svg = d3.select(host).append('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('class', 'plot heat').attr('width', width).attr('height', height)
        .attr('role', 'img').attr('aria-label', `Heat map ${matrix.name}: ${matrix.unit || ''} by ${rowAxis.title} and ${columnAxis.title}, ` +
              `${rows.length} by ${columns.length}, from ${number(least)} to ${number(most)}`);
    const frame = svg.append('g').attr('transform', `translate(${margin.left},${margin.top})`);
    const cells = rows.flatMap((row, i) => columns.map((column, j) => ({i, j, row, column, value: matrix.cells[i] ? matrix.cells[i][j] : null})));
    const describe = cell => [
        {text: `${rowAxis.title} ${axisValue(rowAxis, cell.row)}, ${columnAxis.title} ${axisValue(columnAxis, cell.column)}`, class: 'strong'},
        {text: typeof cell.value === 'number' ? `${number(cell.value)} ${matrix.unit || ''}` : 'not measured'}];
    const rects = frame.selectAll('.cell').data(cells).join('rect').attr('class', cell => typeof cell.value === 'number' ? 'cell' : 'cell missing')
        .attr('x', cell => cell.j * cellWidth).attr('y', cell => cell.i * cellHeight).attr('width', Math.max(0.5, cellWidth - (cellWidth > 6 ? 1 : 0))).attr('height', cellHeight - 1)
        .attr('fill', cell => typeof cell.value === 'number' ? colour(cell.value) : null)
        .on('pointermove', cell => {
            showTip(describe(cell), d3.event.clientX, d3.event.clientY);
        }).on('pointerleave', hideTip);
    if (cellWidth >= 34)
        frame.selectAll('.cell-text').data(cells.filter(cell => typeof cell.value === 'number')).join('text').attr('class', 'cell-text')
            .attr('x', cell => (cell.j + 0.5) * cellWidth).attr('y', cell => (cell.i + 0.5) * cellHeight).attr('dy', '0.32em').attr('text-anchor', 'middle')
            .attr('fill', cell => d3.hsl(d3.lab(colour(cell.value)).l > 60 ? '#000' : '#fff')).text(cell => number(cell.value, 3));
    const every = Math.ceil(columns.length / Math.max(2, Math.floor(inner.width / 46)));
    frame.selectAll('.column').data(columns.map((column, j) => ({column, j})).filter(d => d.j % every === 0)).join('text').attr('class', 'tick')
        .attr('x', d => (d.j + 0.5) * cellWidth).attr('y', inner.height + 14).attr('text-anchor', 'middle').text(d => axisValue(columnAxis, d.column));
    frame.selectAll('.row').data(rows).join('text').attr('class', 'tick').attr('x', -7).attr('y', (_, i) => (i + 0.5) * cellHeight).attr('dy', '0.32em')
        .attr('text-anchor', 'end').text(row => axisValue(rowAxis, row));
    svg.append('text').attr('class', 'axis-title').attr('x', width - margin.right).attr('y', margin.top + inner.height + 30).attr('text-anchor', 'end').text(columnAxis.title + (columnAxis.unit && !columnAxis.bytes ? ` (${columnAxis.unit})` : ''));
    svg.append('text').attr('class', 'axis-title').attr('x', 2).attr('y', 12).text(rowAxis.title + (rowAxis.unit && !rowAxis.bytes ? ` (${rowAxis.unit})` : ''));

    /* The scale of colours, with its ends. */
    const scale = svg.append('g').attr('transform', `translate(${margin.left},${margin.top + inner.height + 36})`);
    const steps = 24, scaleWidth = Math.min(160, inner.width / 2);
    const [from, to] = colour.domain();
    const value = k => log ? from * (to / from) ** k : from + (to - from) * k;
    scale.selectAll('rect').data(d3.range(steps)).join('rect').attr('x', k => k * scaleWidth / steps).attr('width', scaleWidth / steps + 0.5).attr('height', 8)
        .attr('fill', k => colour(value((k + 0.5) / steps)));
    scale.append('text').attr('class', 'tick').attr('y', 20).text(number(least));
    scale.append('text').attr('class', 'tick').attr('x', scaleWidth).attr('y', 20).attr('text-anchor', 'end').text(`${number(most)} ${matrix.unit || ''}`);

    let at = -1;
    if (large)
        svg.attr('tabindex', 0).attr('role', 'application').attr('aria-roledescription', 'heat map').on('keydown', () => {
            const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns.length, ArrowDown: columns.length}[d3.event.key];
            if (!step)
                return;
            d3.event.preventDefault();
            at = Math.max(0, Math.min(cells.length - 1, at < 0 ? 0 : at + step));
            rects.classed('chosen', (_, i) => i === at);
            const box = rects.nodes()[at].getBoundingClientRect();
            const lines = describe(cells[at]);
            showTip(lines, box.left, box.bottom);
            options.say(lines.map(line => line.text).join('; '));
        }).on('blur', hideTip);
    return {svg: svg.node()};
}

/* ---- Saving ---------------------------------------------------------------------------------------------------------- */

const STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'opacity', 'font-family', 'font-size', 'font-weight', 'display'];

/* The plot as a file of its own: what the style sheet says is written into it, in the colours of paper. */
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
    const names = [...new Set(curves.flatMap(curve => Object.keys(curve).filter(key => Array.isArray(curve[key]) && curve[key].length === curve.x.length && key !== 'x' && key !== 'knees' && key !== 'levels')))];
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

function largeCurves(title, curves, more) {
    showLarge(title, (body, width) => {
        const bar = h('div', {class: 'toolbar', role: 'toolbar', 'aria-label': 'Plot'});
        const host = h('div', {class: 'plot-host'});
        const said = h('p', {class: 'quiet said', 'aria-live': 'polite'});
        body.append(bar, host, said, legend(curves), ...(more || []));
        const plot = drawCurves(host, curves, {width, height: Math.max(260, Math.min(520, innerHeight * 0.55)), large: true, say: text => { said.textContent = text; }});
        const axis = (which, text, can) => button(text, event => {
            plot.toggle(which);
            event.target.setAttribute('aria-pressed', plot.state[which]);
        }, {'aria-pressed': String(plot.state[which]), disabled: !can});
        bar.append(axis('logX', 'x logarithmic', plot.state.canLogX), axis('logY', 'y logarithmic', plot.state.canLogY),
                   button('Zoom in', () => plot.zoomBy(1.5)), button('Zoom out', () => plot.zoomBy(1 / 1.5)), button('Whole', () => plot.reset()),
                   h('span', {class: 'gap'}),
                   button('SVG', () => save(`${fileName(title)}.svg`, 'image/svg+xml', standaloneSvg(plot.svg))),
                   button('PNG', () => savePng(plot.svg, title)), button('CSV', () => saveCsv(title, curveRows(curves))));
        said.textContent = 'Point at the plot for values; drag to move it, turn the wheel to zoom. With the keyboard: arrow keys, +, − and 0.';
    });
}

function largeMatrix(title, matrix) {
    showLarge(title, (body, width) => {
        const bar = h('div', {class: 'toolbar', role: 'toolbar', 'aria-label': 'Heat map'});
        const host = h('div', {class: 'plot-host'});
        const said = h('p', {class: 'quiet said', 'aria-live': 'polite'}, 'Point at a cell for its value, or move with the arrow keys.');
        body.append(bar, host, said);
        const plot = drawMatrix(host, matrix, {width, large: true, say: text => { said.textContent = text; }});
        bar.append(button('SVG', () => save(`${fileName(title)}.svg`, 'image/svg+xml', standaloneSvg(plot.svg))),
                   button('PNG', () => savePng(plot.svg, title)), button('CSV', () => saveCsv(title, matrixRows(matrix))));
    });
}

/* As wide as its place, so that letters have one size everywhere. */
const small = host => ({width: Math.round(Math.max(280, Math.min(640, host.clientWidth || 440))), height: 240});
const PLOTS = 60; /* at first */

function smallPlot(title, note, draw, open) {
    const host = lazily(h('div', {class: 'plot-host', style: 'min-height:150px'}), element => {
        element.removeAttribute('style');
        draw(element);
    });
    return h('figure', {class: 'small-plot'},
             h('figcaption', {}, button(title, open, {class: 'link', title: 'Enlarge, zoom, save'}), note ? h('span', {class: 'quiet'}, ` ${note}`) : null), host);
}

/* Plots of curves and matrices side by side; what has the same axes shares a plot when `together`. */
function plotGrid(curves, matrices, together, prefix = '') {
    const plot = group => {
        const name = group.map(curve => curve.name).filter((each, i, all) => all.indexOf(each) === i).join(' · ');
        const reason = group.length === 1 && group[0].reason;
        const figure = smallPlot(name, reason || '', host => drawCurves(host, group, small(host)), () => largeCurves(`${prefix}${name}`, group));
        if (group.length > 1)
            figure.append(legend(group));
        return figure;
    };
    const heat = matrix => smallPlot(matrix.name, matrix.unit, host => drawMatrix(host, matrix, small(host)), () => largeMatrix(`${prefix}${matrix.name}`, matrix));
    const all = [...(together ? plotsOf(curves) : curves.map(curve => [curve])).map(group => () => plot(group)), ...matrices.map(matrix => () => heat(matrix))];
    const grid = h('div', {class: all.length === 1 ? 'plots one' : 'plots'});
    return [grid, portions(grid, all, make => make(), PLOTS)];
}
