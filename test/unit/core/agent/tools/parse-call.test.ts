import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCall } from '../../../../../src/core/agent/tools/parse-call.ts';
import { TOOL_NAMES } from '../../../../../src/core/state/tools.ts';

function parse(name: string, written: unknown) {
  return parseCall({ name, arguments: typeof written === 'string' ? written : JSON.stringify(written) });
}

function refusal(name: string, written: unknown): string {
  const parsed = parse(name, written);
  return parsed.kind === 'refused' ? parsed.output : 'not refused';
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
        answers: null,
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
    expect(long).toMatchObject({ call: { reason: `${'x'.repeat(199)}…` } });
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
    ['__proto__', {}, /^Unknown tool/],
    ['read_file', '{"path":', /not valid JSON/],
    ['read_file', '[]', /one JSON object/],
    ['read_file', {}, /path is missing/],
    ['read_file', { path: 'a', start: 0 }, /start must be at least 1/],
    ['read_file', { path: 'a', line: 1 }, /unknown "line" \(allowed: path, start, end, ref\)/],
    ['read_file', '{"path":"a","__proto__":{"x":1}}', /unknown "__proto__"/],
    ['read_file', `{"path":"a","${'k'.repeat(998)}":1}`, /unknown "k{60}…" \(allowed/],
    [
      'edit_file',
      { path: 'a', old_string: 'b', new_string: 'c', replace_all: 'yes' },
      /replace_all must be of type boolean/,
    ],
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
    expect(refusal('write_file', { path: 'a', content: 'x'.repeat(10_000_000) })).toContain('at most 4000000');
    expect(refusal('write_file', `{"path":${'x'.repeat(10_000_000)}`)).toContain('at most 4000000');
  });

  it.each([
    ['a million small values', `{"path":"a","start":[${'[],'.repeat(1_000_000)}[]]}`],
    ['a million edits', `{"path":"a","edits":[${'{},'.repeat(1_000_000)}{}]}`],
    ['a hundred thousand keys', `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":0`).join(',')}}`],
    ['values nested 100,000 deep', `{"path":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['objects nested 100,000 deep', `${'{"path":'.repeat(100_000)}0${'}'.repeat(100_000)}`],
  ])('%s are refused in few words (D6, H6)', (_what, written) => {
    expect(refusal('edit_file', written).length).toBeLessThan(600);
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
      { numRuns: 400 },
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
