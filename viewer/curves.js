/*
 * A plot of curves with their knees and levels, drawn with d3.
 *
 * The points of a curve are joined by a line. A knee is a band over its interval with a line at its value; a level is a
 * line across the points that the engine took for one level.
 */
'use strict';

/* ---- What of a record is drawn --------------------------------------------------------------------------------------- */

const NOT_SERIES = new Set(['x', 'samples', 'rejected', 'knees', 'levels']);

/*
 * The series of a curve: the 20 % quantile, on which verdicts rest, with the median beside it where the record has one;
 * a curve without that quantile has a series for every array that is as long as x.
 */
function seriesOf(curve) {
    const isSeries = key => !NOT_SERIES.has(key) && Array.isArray(curve[key]) && curve[key].length === curve.x.length;
    const names = Object.keys(curve).filter(isSeries);
    const main = names.includes('q20') ? ['q20'] : names;
    return main.map(name => ({
        name: main.length > 1 ? `${curve.name}: ${name}` : curve.name,
        x: curve.x, y: curve[name],
        median: name === 'q20' ? curve.median : null,
        knees: curve.knees || [], levels: curve.levels || [], curve,
    }));
}

/* Curves in groups that share a plot, since they have the same axis and unit. */
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

const hasValue = knee => typeof knee.value === 'number';

/* The least and the greatest number of all series. */
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

/* For people who do not see the plot: what is drawn, its knees and its levels. */
function describeCurves(curves) {
    return curves.map(curve => {
        const axis = axisOf(curve.axis);
        const knees = (curve.knees || []).filter(hasValue).map(knee => axisValue(axis, knee.value));
        const levels = (curve.levels || []).map(level => number(level.height));
        return `Curve ${curve.name}, ${curve.unit || ''} over ${axis.title}, ${curve.x.length} points; ` +
            (knees.length ? `knees at ${knees.join(', ')}` : `no knee${curve.reason ? `, ${curve.reason}` : ''}`) +
            (levels.length ? `; levels ${levels.join(', ')}` : '');
    }).join('. ');
}

/* ---- Axes ------------------------------------------------------------------------------------------------------------ */

const LOG_FROM = 32; /* an axis that spans more than this factor starts logarithmic */
const FLAT = 0.12;   /* values that differ by less than this fraction of the greatest are shown without zero, enlarged */

/* Ticks of a logarithmic axis, as many as there is room for: powers of two for bytes, else 1, 2 and 5 times powers of ten. */
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
    if (all.length <= room)
        return all;
    const tens = all.filter(value => Number.isInteger(Number(Math.log10(value).toFixed(9))));
    return tens.length > 1 ? tens.filter((_, i) => i % Math.ceil(tens.length / room) === 0) : all.slice(0, room);
}

/* ---- The plot -------------------------------------------------------------------------------------------------------- */

let plotNumber = 0;

class CurvePlot {
    /*
     * Draws into host. options: width and height in pixels; large: with zoom and keys; say(text): is called with the
     * values under the pointer. `svg` and `state` are for the toolbar of a large plot, toggle() to reset() its actions.
     */
    constructor(host, curves, options) {
        this.options = options;
        this.series = curves.flatMap(seriesOf);
        this.axis = axisOf(curves[0].axis);
        this.unit = curves[0].unit || '';
        const margin = {top: options.large ? 34 : 26, right: 14, bottom: options.large ? 48 : 40, left: 58};
        this.margin = margin;
        this.inner = {width: options.width - margin.left - margin.right, height: options.height - margin.top - margin.bottom};
        this.xs = extent(this.series, s => s.x);
        this.ys = extent(this.series, s => s.y);
        const spans = ([from, to]) => from > 0 && to / from >= LOG_FROM;
        this.state = {logX: spans(this.xs), logY: spans(this.ys), canLogX: this.xs[0] > 0, canLogY: this.ys[0] > 0, zoom: d3.zoomIdentity};
        const known = s => s.x.filter((_, i) => typeof s.y[i] === 'number');
        this.positions = [...new Set(this.series.flatMap(known))].sort((a, b) => a - b);
        this.at = -1; /* index of the position whose values are shown */
        this.makeFrame(host, describeCurves(curves));
        this.makeTitles();
        this.listen();
        this.draw();
    }

    get svg() {
        return this.root.node();
    }

    makeFrame(host, description) {
        const {width, height, large} = this.options, {inner, margin} = this, clip = `clip-${++plotNumber}`;
        this.root = d3.select(host).append('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('class', large ? 'plot large' : 'plot')
            .attr('width', width).attr('height', height).attr('role', 'img').attr('aria-label', description);
        this.root.append('clipPath').attr('id', clip).append('rect').attr('width', inner.width).attr('height', inner.height);
        const frame = this.root.append('g').attr('transform', `translate(${margin.left},${margin.top})`);
        this.grid = frame.append('g').attr('class', 'grid');
        this.area = frame.append('g').attr('clip-path', `url(#${clip})`);
        this.axisX = frame.append('g').attr('class', 'axis').attr('transform', `translate(0,${inner.height})`);
        this.axisY = frame.append('g').attr('class', 'axis');
        this.labels = frame.append('g').attr('class', 'knee-labels');
        this.cross = this.area.append('g').attr('class', 'cross').style('display', 'none');
        this.cross.append('line').attr('y2', inner.height);
        this.surface = frame.append('rect').attr('class', 'surface').attr('width', inner.width).attr('height', inner.height);
    }

    makeTitles() {
        const {width, height} = this.options, {axis} = this;
        const title = axis.unit && !axis.bytes ? `${axis.title} (${axis.unit})` : axis.title;
        this.root.append('text').attr('class', 'axis-title').attr('text-anchor', 'end')
            .attr('x', width - this.margin.right).attr('y', height - 5).text(title);
        this.root.append('text').attr('class', 'axis-title').attr('x', 2).attr('y', 12).text(this.unit);
    }

    /* ---- Drawing ---- */

    draw() {
        this.setScales();
        this.drawAxes();
        const plot = this;
        this.area.selectAll('.series').data(this.series).join(enter => {
            const g = enter.append('g').attr('class', (_, i) => `series series-${i % 6}`);
            for (const part of ['knees', 'levels', 'points'])
                g.append('g').attr('class', part);
            g.append('path').attr('class', 'median');
            g.append('path').attr('class', 'line');
            return g;
        }).each(function each(s) {
            const g = d3.select(this);
            plot.drawPoints(g, s);
            plot.drawLevels(g, s);
            plot.drawKnees(g, s);
        });
        this.labelKnees();
        this.cross.raise();
    }

    setScales() {
        const {state, xs, ys, inner} = this;
        const pad = state.logX ? 0 : (xs[1] - xs[0]) * 0.02 || 0.5;
        const spare = (ys[1] - ys[0]) * 0.08 || Math.abs(ys[1]) * 0.05 || 1;
        const isFlat = ys[1] - ys[0] < FLAT * Math.abs(ys[1]);
        const low = isFlat || ys[0] < 0 ? ys[0] - spare : 0;
        const x = state.logX ? d3.scaleLog().domain([xs[0] * 0.94, xs[1] * 1.06]) : d3.scaleLinear().domain([xs[0] - pad, xs[1] + pad]);
        const y = state.logY ? d3.scaleLog().domain([ys[0] / 1.15, ys[1] * 1.15]) : d3.scaleLinear().domain([low, ys[1] + spare]);
        x.range([0, inner.width]);
        y.range([inner.height, 0]);
        this.x = state.zoom.rescaleX(x);
        this.y = state.zoom.rescaleY(y);
    }

    drawAxes() {
        const {x, y, axis, inner, state} = this;
        const roomX = Math.max(3, Math.floor(inner.width / (axis.bytes ? 62 : 58))), roomY = Math.max(3, Math.floor(inner.height / 34));
        const ticksX = state.logX ? logTicks(x.domain(), axis.bytes, roomX) : x.ticks(roomX);
        const ticksY = state.logY ? logTicks(y.domain(), false, roomY) : y.ticks(roomY);
        this.axisX.call(d3.axisBottom(x).tickValues(ticksX.length > 1 ? ticksX : x.ticks(4))
            .tickFormat(value => axisValue(axis, value)).tickSize(4).tickPadding(5));
        this.axisY.call(d3.axisLeft(y).tickValues(ticksY.length > 1 ? ticksY : y.ticks(4))
            .tickFormat(value => number(value)).tickSize(0).tickPadding(7));
        this.grid.selectAll('line').data(ticksY).join('line').attr('x2', inner.width).attr('y1', y).attr('y2', y);
    }

    drawPoints(g, s) {
        const {x, y, state} = this, {large} = this.options;
        const isShown = ([at, value]) => typeof value === 'number' && typeof at === 'number' && (!state.logY || value > 0);
        const pairs = values => s.x.map((at, i) => [at, values[i]]);
        const line = d3.line().defined(isShown).x(d => x(d[0])).y(d => y(d[1]));
        g.select('.line').attr('d', line(pairs(s.y)));
        g.select('.median').attr('d', s.median && large ? line(pairs(s.median)) : null);
        g.select('.points').selectAll('circle').data(pairs(s.y).filter(isShown)).join('circle')
            .attr('cx', d => x(d[0])).attr('cy', d => y(d[1])).attr('r', large ? 2.6 : 1.7);
    }

    drawLevels(g, s) {
        const {x, y} = this;
        g.select('.levels').selectAll('line').data(s.levels.filter(level => typeof level.height === 'number')).join('line')
            .attr('x1', level => x(level.from)).attr('x2', level => x(level.to))
            .attr('y1', level => y(level.height)).attr('y2', level => y(level.height));
    }

    drawKnees(g, s) {
        const {x, inner} = this;
        const low = knee => x(typeof knee.low === 'number' ? knee.low : knee.value);
        const high = knee => x(typeof knee.high === 'number' ? knee.high : knee.value);
        const bands = g.select('.knees').selectAll('g').data(s.knees.filter(hasValue)).join(enter => {
            const one = enter.append('g');
            one.append('rect');
            one.append('line');
            return one;
        });
        bands.select('rect').attr('x', low).attr('width', knee => Math.max(1, high(knee) - low(knee))).attr('height', inner.height);
        bands.select('line').attr('x1', knee => x(knee.value)).attr('x2', knee => x(knee.value)).attr('y2', inner.height);
    }

    /* Values of knees above the plot, from left to right. A label that would cover the one before it is left out. */
    labelKnees() {
        const {x, axis, inner} = this;
        const all = this.series.flatMap((s, i) => s.knees.filter(hasValue)
            .map(knee => ({series: i, text: axisValue(axis, knee.value), at: x(knee.value)})))
            .filter(knee => knee.at >= 0 && knee.at <= inner.width).sort((a, b) => a.at - b.at);
        const shown = [];
        for (const knee of all) {
            const before = shown[shown.length - 1];
            if (!before || knee.at - before.at > 7 * Math.max(knee.text.length, before.text.length) + 4)
                shown.push(knee);
        }
        this.labels.selectAll('text').data(shown).join('text').attr('class', knee => `knee-label series-${knee.series % 6}`)
            .attr('x', knee => knee.at).attr('y', -5)
            .attr('text-anchor', knee => knee.at < 20 ? 'start' : knee.at > inner.width - 24 ? 'end' : 'middle').text(knee => knee.text);
    }

    /* ---- Values under the pointer ---- */

    /* The lines of the tooltip at a position of the x axis: for each series its value, and how it was measured. */
    valuesAt(value) {
        const {axis, unit} = this, several = this.series.length > 1;
        const lines = [{text: `${axis.title} ${axisValue(axis, value)}${axis.unit && !axis.bytes ? ` ${axis.unit}` : ''}`, class: 'strong'}];
        this.series.forEach((s, i) => {
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
            lines.push({colour: several ? i % 6 : null, text: `${several ? s.name + ': ' : ''}${number(s.y[where])} ${unit}`});
            if (more.length)
                lines.push({text: more.join(', '), class: 'quiet'});
        });
        return lines;
    }

    /* Shows the values at positions[index], with the tooltip at the pointer or, without one, above the position. */
    point(index, clientX, clientY) {
        const {x, y, margin} = this;
        this.at = index;
        const value = this.positions[index];
        this.cross.style('display', null).select('line').attr('x1', x(value)).attr('x2', x(value));
        const here = this.series.map((s, i) => ({i, y: s.y[s.x.indexOf(value)]})).filter(d => typeof d.y === 'number');
        this.cross.selectAll('circle').data(here).join('circle').attr('class', d => `series-${d.i % 6}`).attr('r', 4)
            .attr('cx', x(value)).attr('cy', d => y(d.y));
        const lines = this.valuesAt(value);
        if (this.options.say)
            this.options.say(lines.map(each => each.text).join('; '));
        const box = this.svg.getBoundingClientRect(), scale = box.width / this.options.width;
        showTip(lines, clientX === undefined ? box.left + (margin.left + x(value)) * scale : clientX,
                clientY === undefined ? box.top + margin.top * scale : clientY);
    }

    leave() {
        this.cross.style('display', 'none');
        hideTip();
    }

    /* Index of the position that is nearest to the pointer. */
    nearest(clientX) {
        const box = this.svg.getBoundingClientRect();
        const across = (clientX - box.left) * this.options.width / box.width - this.margin.left;
        const distance = value => Math.abs(this.x(value) - across);
        return this.positions.reduce((best, value, i) => distance(value) < distance(this.positions[best]) ? i : best, 0);
    }

    /* ---- Pointer, wheel and keys ---- */

    listen() {
        this.surface.on('pointermove', () => this.point(this.nearest(d3.event.clientX), d3.event.clientX, d3.event.clientY))
            .on('pointerleave', () => this.leave());
        if (this.options.large) {
            this.listenToZoom();
            this.listenToKeys();
        }
    }

    listenToZoom() {
        const {inner} = this, whole = [[0, 0], [inner.width, inner.height]];
        this.zoom = d3.zoom().scaleExtent([1, 200]).translateExtent(whole).extent(whole)
            .filter(() => !d3.event.button && (!d3.event.touches || d3.event.touches.length > 1))
            .on('zoom', () => {
                this.state.zoom = d3.event.transform;
                this.draw();
            });
        this.surface.call(this.zoom);
    }

    listenToKeys() {
        this.root.attr('tabindex', 0).attr('role', 'application').attr('aria-roledescription', 'plot').on('keydown', () => {
            const {event} = d3, step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
            if (step)
                this.point(Math.max(0, Math.min(this.positions.length - 1, this.at + step)));
            else if (event.key === '+' || event.key === '-')
                this.zoomBy(event.key === '+' ? 1.5 : 1 / 1.5);
            else if (event.key === '0')
                this.reset();
            else
                return;
            event.preventDefault();
        }).on('blur', () => this.leave());
    }

    /* ---- Actions of the toolbar of a large plot ---- */

    /* Switches an axis between linear and logarithmic: which is logX or logY. */
    toggle(which) {
        this.state[which] = !this.state[which];
        this.reset();
        this.draw();
    }

    zoomBy(factor) {
        this.surface.call(this.zoom.scaleBy, factor);
    }

    reset() {
        this.surface.call(this.zoom.transform, d3.zoomIdentity);
    }
}

/* Draws a plot of curves into host; see CurvePlot. */
const drawCurves = (host, curves, options) => new CurvePlot(host, curves, options);

/* The names of the curves with the colours they have in the plot, and their knees. */
function legend(curves) {
    const series = curves.flatMap(seriesOf);
    return h('ul', {class: 'legend'}, series.map((s, i) => {
        const axis = axisOf(s.curve.axis), scale = axis.bytes ? 1024 : 1;
        const knees = s.knees.filter(hasValue).map(knee =>
            `${axisValue(axis, knee.value)} [${number(knee.low / scale, 5)}, ${number(knee.high / scale, 5)}]`);
        return h('li', {}, h('i', {class: `swatch series-${i % 6}`}), h('span', {}, s.name),
                 h('span', {class: 'quiet'}, knees.length ? ` knee at ${knees.join(', ')}` : s.curve.reason ? ` ${reasonText(s.curve.reason)}` : ''));
    }));
}
