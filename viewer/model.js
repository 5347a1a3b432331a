/*
 * From records to what the page shows: runs, and in each the cores that were measured.
 */
'use strict';

/* Keys of every finding (lib/finding/report.c). Any other key before `value` is a variant, any other key after it a remark. */
const FINDING_KEYS = new Set(('t probe name core type value unit low high grade reason detail replaces seen holds agreement ' +
                              'method curves published c').split(' '));

function variantsOf(finding) {
    const found = [];
    for (const key of Object.keys(finding)) {
        if (key === 'value')
            break;
        if (!FINDING_KEYS.has(key))
            found.push([key, finding[key]]);
    }
    return found;
}

function remarksOf(finding) {
    const keys = Object.keys(finding), after = keys.indexOf('value');
    return keys.slice(after + 1).filter(key => !FINDING_KEYS.has(key)).map(key => [key, finding[key]]);
}

const variantText = finding => variantsOf(finding).map(([key, value]) => `${key}=${value}`).join(' ');

const keys = new WeakMap();
function findingKey(finding) {
    if (!keys.has(finding))
        keys.set(finding, `${finding.name} ${variantText(finding)}`.trim());
    return keys.get(finding);
}

/* The findings that count: one that `replaces` takes the place of all earlier ones with the same name and variants. */
class Standing {
    constructor() {
        this.byKey = new Map();
        this.count = 0;
    }

    add(finding) {
        const key = findingKey(finding);
        if (finding.replaces || !this.byKey.has(key))
            this.byKey.set(key, []);
        this.byKey.get(key).push([this.count++, finding]);
    }

    /* In the order of their records. */
    list() {
        return [...this.byKey.values()].flat().sort((a, b) => a[0] - b[0]).map(([, finding]) => finding);
    }
}

function newCore(run, index) {
    return {run, index, machine: {}, environment: {}, restored: null, standing: new Standing(), findings: [], byName: new Map(),
            curves: [], matrices: [], tables: [], starts: [], ends: [], faults: []};
}

const LISTS = {curve: 'curves', matrix: 'matrices', table: 'tables', start: 'starts', end: 'ends', fault: 'faults'};

/*
 * The runs of one file, from its records in order. A serial log may hold several runs. A file that lost its beginning has
 * no `run` record: its records are then shown as a run without a name. A support file begins with a `support` record.
 */
class Runs {
    constructor(file) {
        this.file = file;
        this.all = [];
        this.run = null;
        this.core = null;
        this.supports = []; /* support files */
        this.support = null;
    }

    begin(record) {
        this.run = {file: this.file, run: record, done: null, cores: new Map(), warnings: [], last: null};
        this.core = null;
        this.all.push(this.run);
    }

    /* Records that name no core belong to the core that was measured last. */
    coreOf(record) {
        const index = record.core !== undefined ? record.core : this.core ? this.core.index : 0;
        if (!this.run.cores.has(index))
            this.run.cores.set(index, newCore(this.run, index));
        this.core = this.run.cores.get(index);
        return this.core;
    }

    add(record) {
        if (record.t === 'support') {
            this.support = {file: this.file, head: record, records: []};
            this.supports.push(this.support);
            return;
        }
        if (record.t === 'run')
            this.support = null;
        if (this.support) {
            this.support.records.push(record);
            return;
        }
        if (record.t === 'run' || !this.run)
            this.begin(record.t === 'run' ? record : {});
        this.run.last = record;
        if (record.t === 'done')
            this.run.done = record;
        else if (record.t === 'warning')
            this.run.warnings.push(record);
        else if (record.t === 'machine' || record.t === 'environment' || record.t === 'restored')
            this.coreOf(record)[record.t] = record;
        else if (record.t === 'finding')
            this.coreOf(record).standing.add(record);
        else if (LISTS[record.t])
            this.coreOf(record)[LISTS[record.t]].push(record);
        /* other kinds are those of a newer version, and left out */
    }

    finish() {
        for (const run of this.all) {
            /* The core that booted has a record of the machine also where it does not measure. */
            const idle = [...run.cores.values()].filter(core => !core.environment.t && !core.starts.length);
            if (idle.length < run.cores.size)
                idle.forEach(core => run.cores.delete(core.index));
            for (const core of run.cores.values()) {
                core.findings = core.standing.list();
                for (const finding of core.findings) {
                    if (!core.byName.has(finding.name))
                        core.byName.set(finding.name, []);
                    core.byName.get(finding.name).push(finding);
                }
            }
        }
        return this.all;
    }
}

/* The curves and matrices from which a finding was decided. */
function evidenceOf(core, finding) {
    const named = new Set(finding.curves || []);
    const rests = record => record.probe === finding.probe && named.has(record.name);
    return {curves: core.curves.filter(rests), matrices: core.matrices.filter(rests)};
}

const trustOf = run => run.done ? run.done.trusted !== false : null;

/* The design of a core, "raptor-cove", or its model name; coreTitle() distinguishes it from others. */
function coreName(core) {
    return core.machine.core_name || core.machine.core_model || 'unnamed core';
}

function coreTitle(core) {
    const type = core.machine.type ? ` (${core.machine.type})` : '';
    return [`${coreName(core)}, core ${core.index}${type}`, core.run.run.isa, core.run.run.platform, core.run.file].filter(Boolean).join(' · ');
}

/* Readings of all probes, those of them that were rejected, and the causes as [cause, count], most frequent first. */
function disturbances(core) {
    let readings = 0, rejected = 0;
    const by = new Map();
    for (const end of core.ends) {
        readings += end.readings || 0;
        rejected += end.rejected || 0;
        for (const [cause, count] of Object.entries(end.rejected_by || {}))
            by.set(cause, (by.get(cause) || 0) + count);
    }
    return {readings, rejected, by: [...by].filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1])};
}

/* ---- Texts of probes, and published values, put into the page when it was built ------------------------------ */

const known = JSON.parse(document.getElementById('known').textContent || '{}');
const probesKnown = new Map((known.probes || []).map(probe => [probe.name, probe]));
const findingsKnown = new Map((known.probes || []).flatMap(probe => probe.findings.map(f => [f.name, f])));

const publishedCores = [...new Set((known.published || []).map(row => row[0]))];

/*
 * The published value of a finding for a core, as a cell to compare with, or null. As in the run, a row of the table fits a
 * finding that has all variants of the row; further rows with the same variants are other published values (lib/plan/published.c).
 */
function publishedFor(core, finding) {
    const own = new Set(variantText(finding).split(' '));
    const fits = ([name, of, variant]) => name === core && of === finding.name && variant.split(' ').every(word => !word || own.has(word));
    const rows = known.published.filter(fits);
    const same = rows.filter(row => row[2] === rows[0][2]);
    return rows.length ? {name: finding.name, unit: finding.unit, grade: 'P', value: same[0][3], exact: rows[0][2] === variantText(finding), published: same.map(([, , , value, source]) => ({value, source}))} : null;
}

const FAMILIES = [['frontend', 'Front end'], ['backend', 'Back end'], ['memory', 'Memory'], ['system', 'System']];
const familyOf = name => name.split('.')[0];
const probeTitle = name => probesKnown.has(name) ? probesKnown.get(name).title : name;
