import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findKeys } from '../../../../../src/core/agent/tools/json-keys.ts';
import { parseCall } from '../../../../../src/core/agent/tools/parse-call.ts';
import { TOOL_NAMES } from '../../../../../src/core/state/tools.ts';

function parse(name: string, written: unknown) {
  return parseCall({ name, arguments: typeof written === 'string' ? written : JSON.stringify(written) });
}

function refusal(name: string, written: unknown): string {
  const parsed = parse(name, written);
  return parsed.kind === 'refused' ? parsed.output : 'not refused';
}

/** The keys of each object that has any, outer objects first. */
function keysOfObjects(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) || Object.keys(value).length === 0 ? [] : [Object.keys(value)];
  return [...own, ...Object.values(value).flatMap(keysOfObjects)];
}

describe('parseCall', () => {
  it('parses a call and leaves out absent options (S1)', () => {
    expect(parse('edit_file', { path: 'a', old_string: 'b', new_string: '', reason: ' why ' })).toEqual({
      kind: 'call',
      call: {
        tool: 'edit_file',
        path: 'a',
        old_string: 'b',
        new_string: '',
        replace_all: false,
        edits: null,
        reason: 'why',
      },
    });
    expect(parse('read_file', { path: 'a', start: null, end: 3 })).toEqual({
      kind: 'call',
      call: { tool: 'read_file', path: 'a', start: null, end: 3, ref: 'head' },
    });
    expect(parse('list_files', '')).toEqual({ kind: 'call', call: { tool: 'list_files', glob: null } });
    expect(parse('search', { query: 'x', glob: 'src/**' })).toMatchObject({
      call: { query: 'x', glob: 'src/**', context: 0 },
    });
    expect(parse('write_file', { path: 'a', content: '' })).toMatchObject({ call: { content: '', reason: null } });
  });

  it('cuts a reason that is too long, and takes several edits at once (S145)', () => {
    const long = parse('edit_file', { path: 'a', old_string: 'b', new_string: 'c', reason: 'x'.repeat(201) });
    expect(long).toMatchObject({ call: { reason: 'x'.repeat(200) } });
    const edits = [{ old_string: 'a', new_string: 'b', replace_all: null }];
    expect(parse('edit_file', { path: 'a', edits })).toMatchObject({
      call: { old_string: null, edits: [{ old_string: 'a', new_string: 'b', replace_all: false }] },
    });
  });

  it.each([
    ['edit', {}, /^Unknown tool "edit"\. Available tools: edit_file, write_file/],
    ['raed_file', {}, /^Unknown tool "raed_file"\. Did you mean read_file\? Available tools: /],
    ['search', { query: 'x', context: 6 }, /context must be at most 5/],
    ['read_file', { path: 'a', start: '1 2' }, /start must be of type number/],
    ['read_file', { path: 'a', start: '0' }, /start must be at least 1/],
    ['__proto__', {}, /^Unknown tool/],
    ['toString', {}, /^Unknown tool/],
    ['read_file', '{"path":', /not valid JSON/],
    ['read_file', '[]', /one JSON object/],
    ['read_file', 'null', /one JSON object/],
    ['read_file', {}, /path is missing/],
    ['read_file', { path: 5 }, /path must be of type string/],
    ['read_file', { path: 'a', start: 0 }, /start must be at least 1/],
    ['read_file', { path: 'a', start: 1.5 }, /start must be of type int/],
    ['read_file', { path: 'a', line: 1 }, /unknown "line" \(allowed: path, start, end, ref\)/],
    ['read_file', '{"path":"a","__proto__":{"x":1}}', /unknown "__proto__"/],
    ['read_file', '{"path":"a","path":"b"}', /the key "path" appears twice/],
    ['read_file', '{"path":"a","p\\u0061th":"b"}', /the key "path" appears twice/],
    [
      'change_files',
      '{"summary":"s","changes":[{"op":"delete","path":"a"},{"op":"delete","path":"b","path":"c"}]}',
      /the key "path" appears twice/,
    ],
    [
      'edit_file',
      '{"path":"a","edits":[{"old_string":"a","new_string":"}{","n\\u0065w_string":"c"}]}',
      /the key "new_string" appears twice/,
    ],
    ['read_file', `{"path":"a","${'k'.repeat(999)}":1}`, /a key has 1001 characters and at most 1000 are read/],
    ['read_file', `{"path":"a","${'k'.repeat(998)}":1}`, /unknown "k{60}…" \(allowed/],
    [
      'edit_file',
      { path: 'a', old_string: 'b', new_string: 'c', replace_all: 'yes' },
      /replace_all must be of type boolean/,
    ],
    ['edit_file', { path: 'a', edits: [] }, /edits must be at least 1/],
    [
      'edit_file',
      { path: 'a', edits: Array(21).fill({ old_string: 'a', new_string: 'b' }) },
      /edits must be at most 20/,
    ],
    [
      'edit_file',
      { path: 'a', old_string: 'b', edits: [{ old_string: 'a', new_string: 'b' }] },
      /edits must stand alone/,
    ],
    ['plan', { steps: [{ text: 'one' }] }, /steps must be at least 3/],
    ['write_file', '{"path":"a","content":"\\ud800"}', /content holds half of a surrogate pair/],
    ['search', { query: '' }, /query must be at least 1 character/],
  ])('%s with %j is refused with an explanation (S1, D6)', (name, written, expected) => {
    expect(refusal(name, written)).toMatch(expected);
  });

  it.each(['read_file', 'functions.read_file', 'READ_FILE', 'Functions.Read_File'])(
    'the name %s is understood (S141)',
    (name) => {
      expect(parse(name, { path: 'a' })).toMatchObject({ kind: 'call', call: { tool: 'read_file' } });
    },
  );

  it('numbers and booleans are taken as text, null is absent, and text that looks like them stays text (S141)', () => {
    expect(parse('read_file', { path: '1', start: '2', end: ' 30 ', ref: null })).toMatchObject({
      call: { path: '1', start: 2, end: 30, ref: 'head' },
    });
    const edit = { path: 'a', old_string: 'true', new_string: '7', replace_all: 'True' };
    expect(parse('edit_file', edit)).toMatchObject({
      call: { old_string: 'true', new_string: '7', replace_all: true },
    });
    expect(parse('read_discussion', { skip: '12' })).toMatchObject({ call: { skip: 12 } });
    expect(parse('search', { query: '5', regex: 'false', context: '3' })).toMatchObject({
      call: { query: '5', regex: false, context: 3 },
    });
  });

  it('10 MB are refused unread (D6)', () => {
    expect(refusal('write_file', { path: 'a', content: 'x'.repeat(10_000_000) })).toContain('at most 6000000');
    expect(refusal('write_file', `{"path":${'x'.repeat(10_000_000)}`)).toContain('at most 6000000');
  });

  it.each([
    ['thousands of small values', `{"path":"a","start":[${'[],'.repeat(600)}[]]}`],
    ['thousands of nested values', `{"path":${'['.repeat(2000)}${']'.repeat(2000)}}`],
    ['hundreds of keys', `{${Array.from({ length: 600 }, (_, index) => `"k${index}":0`).join(',')}}`],
    ['values nested 100,000 deep', `{"path":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['objects nested 100,000 deep', `${'{"path":'.repeat(100_000)}0${'}'.repeat(100_000)}`],
  ])('%s are refused before they are parsed (H6, H13)', (_what, written) => {
    expect(refusal('read_file', written)).toContain('they hold more than 1000 keys, values and punctuation marks');
  });

  it('finds the keys of each object, after strings with quotes and backslashes too (D6)', () => {
    const short = fc.string({ unit: fc.constantFrom('"', '\\', 'a', '{', ':', 'é'), maxLength: 60 });
    const long = fc.tuple(short, fc.integer({ min: 1, max: 400 })).map(([text, times]) => text.repeat(times));
    const letters = fc.oneof(short, short, long);
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        letters,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(letters, tie('value'), { maxKeys: 5 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, (written) => {
        const keys = findKeys(JSON.stringify(written), 10_000);
        const found = keys?.map((ofOne) => ofOne.map((key) => JSON.parse(key)));
        expect(found?.filter(({ length }) => length > 0)).toEqual(keysOfObjects(written));
      }),
      { numRuns: 1000 },
    );
  });

  it('never throws on any text of the model, and its output is short (D6)', () => {
    const written = fc.oneof(
      fc.string(),
      fc.json(),
      fc.object().map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...TOOL_NAMES), fc.string()), written, (name, text) => {
        const parsed = parseCall({ name, arguments: text });
        if (parsed.kind === 'refused') expect(parsed.output).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });

  it('understands the members of a list in the same forms, and names a wrong one by its place (S141, S145)', () => {
    const edits = [{ old_string: 'true', new_string: '7', replace_all: 'True' }];
    expect(parse('edit_file', { path: 'a', edits, old_string: null })).toMatchObject({
      call: { edits: [{ old_string: 'true', new_string: '7', replace_all: true }] },
    });
    const nothing = [{ old_string: 'a', new_string: 'b', replace_all: null }];
    expect(parse('edit_file', { path: 'a', edits: nothing })).toMatchObject({
      call: { edits: [{ replace_all: false }] },
    });
    const faults = [
      { old_string: 'a', new_string: null },
      { old_string: 1, new_string: 'b', more: 1 },
    ];
    expect(parse('edit_file', { path: 'a', edits: faults })).toMatchObject({
      kind: 'refused',
      output: expect.stringMatching(
        /edits\.0\.new_string is missing; edits\.1\.old_string must be of type string; unknown "more" in edits\.1/,
      ),
    });
  });

  it('ignores duplicate keys inside strings, and equal keys of different objects (D6)', () => {
    const content = '{"a":1,"a":2} \\" "path": ';
    expect(parse('write_file', { path: 'a', content })).toMatchObject({ call: { content } });
    const changes = [
      { op: 'write', path: 'a', content },
      { op: 'delete', path: 'b' },
    ];
    expect(parse('change_files', { summary: 's', changes })).toMatchObject({ call: { changes } });
  });

  it('a long glob is refused and not quoted, and at most five unknown keys are named (S124)', () => {
    for (const name of ['list_files', 'search']) {
      const args = name === 'search' ? { query: 'x' } : {};
      expect(parse(name, { ...args, glob: 'a'.repeat(500) }).kind).toBe('call');
      const output = refusal(name, { ...args, glob: '**/*a'.repeat(20_000) });
      expect(output).toContain('glob must be at most 500 characters');
      expect(output.length).toBeLessThan(400);
    }
    const keys = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1]));
    expect(refusal('list_files', keys).length).toBeLessThan(400);
  });
});
