import { describe, expect, it } from 'vitest';
import { findNewSyntaxError } from '../../../../src/adapters/syntax/new-syntax-error.ts';

/** An expression of a workflow. */
const EXPRESSION = '$' + '{{ a }}';

/** Line and words of the error that a change brings; null for none. */
async function check(path: string, before: string | null, after: string): Promise<string | null> {
  const found = await findNewSyntaxError({ path, before, after });
  if (found === null) return null;
  expect(found.path).toBe(path);
  return `${found.line}: ${found.what}`;
}

describe('findNewSyntaxError', () => {
  it.each([
    ['a.json', '{"a": 1}\n', '{\n  "a": 1\n  "b": 2\n}\n', '3: comma expected'],
    ['a.json', '[1]\n', '', '1: value expected'],
    ['tsconfig.json', '{ // one\n}\n', '{ // one\n  "a": ,\n}\n', '2: value expected'],
    ['a.jsonc', '{}\n', '{\n  "a": [1,\n}\n', '3: value expected'],
    ['.github/workflows/ci.yml', 'on: push\n', 'on: push\njobs:\n\ttest: 1\n', '3: tab as indent'],
    ['a.yaml', 'a: 1\n', 'a: 1\n---\nb: [1,\nc: 2\n', '4: bad indent'],
    ['a.YML', `run: ${EXPRESSION}\n`, `run: ${EXPRESSION}: b: c\n`, '1: block as implicit key'],
    ['Cargo.toml', '[a]\nb = 1\n', '[a]\nb = \n', '2: invalid value'],
    ['Cargo.toml', '[a]\nb = 1\n', '[a]\nb = 1\n\n[a\n', '4: '],
    ['a.ts', 'f();\n', 'f();\ng(1;\n', '2: missing )'],
    ['a.py', 'a = 1\n', 'a = 1\nb = = 2\n', '2: syntax error'],
  ])('finds the line of an error in %s: %j to %j (S148)', async (path, before, after, expected) => {
    expect(await check(path, before, after)).toContain(expected);
    expect(await check(path, null, after)).toContain(expected);
    expect(await check(path, `\u{FEFF}${before}`, `\u{FEFF}${after}`)).toContain(expected);
    expect(await check(path, before.replaceAll('\n', '\r\n'), after.replaceAll('\n', '\r\n'))).toContain(expected);
  });

  it.each([
    ['a JSON file', 'a.json', '{"a": 1}', '\u{FEFF}{"a": 12345678901234567890, "b": "\u{1F600}"}\r\n'],
    ['comments where some were before', 'a.json', '{ /* one */ }', '{ /* one */ "a": 1, }'],
    ['several documents', 'a.yaml', 'a: 1\n', '%YAML 1.2\n---\na: 1\n...\n---\n- !Ref b\n- *c\n'],
    ['keys that are repeated', 'a.yaml', 'a: 1\n', 'a: 1\na: 2\n'],
    [
      'a template that did not parse before',
      'templates/a.yaml',
      '{{- if .a }}\na: 1\n{{- end }}\n',
      '{{- if .a }}\na:\n\t1\n',
    ],
    ['a template that is new', 'templates/a.yaml', null, '{{- if .a }}\na: 1\n{{- end }}\n'],
    ['what becomes a template', 'a.yml', 'a: 1\n', '{% if a %}\na: 1\n{% endif %}\n'],
    ['large integers', 'a.toml', 'a = 1\n', '\u{FEFF}a = 9223372036854775807\r\nb = """\r\nc\r\n"""\r\n'],
    ['an error that was there before', 'a.ts', 'f(;\n', 'f(;\ng(;\n'],
    ['broken JSON before', 'a.json', '{"a": 1,,}', '{"a": 1,,,}'],
    ['broken TOML before', 'a.toml', 'a =\n', 'a =\nb =\n'],
    ['C, which the grammar of C++ reads', 'a.c', 'int a;\n', 'int class = 1;\n'],
    ['other files', 'a.txt', 'a\n', '((\n'],
    ['a file that is too large', 'a.json', '{}', '['.repeat(500_001)],
    ['a file that was too large', 'a.ts', 'f();\n'.repeat(100_001), 'f(;\n'],
    ['nesting that is too deep for a parser', 'a.json', '{}', '['.repeat(400_000)],
    ['deep YAML', 'a.yaml', 'a: 1', '- '.repeat(100_000)],
  ])('says nothing about %s (S148)', async (_, path, before, after) => {
    expect(await check(path, before, after)).toBeNull();
  });

  it('takes comments in any JSON file that had them or is new, and finds what is broken (S148)', async () => {
    const comments = '{\n  // one\n  "a": [1,], /* two */\n}\n';
    for (const before of [null, comments]) {
      expect(await check('data.json', before, comments.replace('1,', '2,'))).toBeNull();
      expect(await check('data.json', before, '{\n  // one\n')).not.toBeNull();
    }
    expect(await check('data.json', '{}\n', comments)).toContain('2: invalid comment token');
  });

  it('quotes nothing of the file, which can be secret (S148, X10)', async () => {
    const secret = `ghp_${'aB3d'.repeat(9)}`;
    for (const [path, before, after] of [
      ['a.json', '{}', `{"a": ${secret}}`],
      ['a.yaml', 'a: 1', `a: 1\n- "${secret}"\n${secret}`],
      ['a.toml', 'a = 1', `a = ${secret}`],
      ['a.py', 'a = 1', `a = ${secret} ${secret}`],
    ] as const) {
      const found = await check(path, before, after);
      expect(found).not.toBeNull();
      expect(found).not.toContain('ghp_');
    }
  });
});
