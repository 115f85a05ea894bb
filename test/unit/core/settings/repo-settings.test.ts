import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../../../src/core/settings/repo-settings.ts';
import { MAX_SETTINGS_BYTES } from '../../../../src/core/settings/settings-file.ts';
import { DEFAULT_SETTINGS } from '../../../../src/core/state/settings.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { cpuSeconds } from '../../../support/cpu-time.ts';

function reading(text: string | Uint8Array) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return parseSettings({ kind: 'file', bytes });
}

function problems(text: string | Uint8Array): readonly string[] {
  const read = reading(text);
  return read.kind === 'broken' ? read.problems : [];
}

const EVERY_KEY = `
model: large
commands: prefixed
approvers: maintain
require_non_author: true
require_non_requester: true
required_approvals: 2
rules: []
require: []
protected_paths: []
standing_approvals: path
expiry: 36h
review_event: request-changes
check_run: required
label: false
wait_for_checks: 2h
review_approval: approve-all
commit_message: "{summary} ({ids}) in {paths}"
sign_off: true
limits: {}
context_files: [AGENTS.md, docs/agents.md]
`;

describe('the repository’s settings', () => {
  it.each([
    ['no file', null],
    ['an empty file', ''],
    ['comments only', '# nothing yet\n\n'],
    ['an empty document', '---\n...\n'],
    ['a byte order mark', '\u{FEFF}# nothing\n'],
    ['an empty group', '{}\n'],
  ])('%s means the defaults (S127)', (_what, text) => {
    const read = text === null ? parseSettings(null) : reading(text);
    expect(read).toEqual({ kind: 'settings', settings: DEFAULT_SETTINGS });
  });

  it('knows every key (S127)', () => {
    expect(reading(EVERY_KEY)).toEqual({
      kind: 'settings',
      settings: {
        commands: 'prefixed',
        approvers: 'maintain',
        requireNonAuthor: true,
        requireNonRequester: true,
        requiredApprovals: 2,
        rules: [],
        operatorRules: [],
        require: [],
        protectedPaths: [],
        standingApprovals: 'path',
        expiryHours: 36,
        checkWaitMinutes: 120,
        reviewEvent: 'request-changes',
        checkRun: 'required',
        label: false,
        reviewApproval: 'approve-all',
        commitMessage: '{summary} ({ids}) in {paths}',
        signOff: true,
        model: 'large',
        limits: DEFAULT_SETTINGS.limits,
        contextFiles: ['AGENTS.md', 'docs/agents.md'],
      },
    });
    expect(reading(EVERY_KEY.replaceAll('\n', '\r\n'))).toEqual(reading(EVERY_KEY));
  });

  it('lists all problems at once, each with its line and the allowed values (S127)', () => {
    const text = [
      '# who may approve',
      'approvers: writers',
      'required_approvals: 0',
      'require-non-author: true',
      'sign_off: yes',
      'limits:',
      '  turns: many',
      '  token: 5',
      'expiry: 31d',
      'color: red',
    ].join('\n');
    expect(problems(text)).toEqual([
      'line 2: approvers must be write, maintain, admin or codeowners, not "writers"',
      'line 3: required_approvals must be a whole number from 1 to 10, not 0',
      expect.stringMatching(/^line 4: require-non-author is not a setting; the settings are model, commands, /),
      'line 5: sign_off must be true or false, not "yes"',
      'line 7: limits.turns must be a whole number from 1 to 1000, not "many"',
      expect.stringMatching(/^line 8: limits\.token is not a setting; the settings are turns, tokens, /),
      'line 9: expiry must be a time from 1h to 30d, in hours (h) or days (d), not "31d"',
      expect.stringMatching(/^line 10: color is not a setting; the settings are model, commands, approvers, /),
    ]);
  });

  it.each([
    ['required_approvals: 11', 'line 1: required_approvals must be a whole number from 1 to 10, not 11'],
    ['required_approvals: "2"', 'line 1: required_approvals must be a whole number from 1 to 10, not "2"'],
    ['approvers:', 'line 1: approvers must be write, maintain, admin or codeowners, and has no value'],
    ['limits:\n  cost_usd: 0', 'line 2: limits.cost_usd must be a number above 0, at most 1000000, not 0'],
    ['context_files: AGENTS.md', /^line 1: context_files must be a list of paths, /],
    [
      'context_files:\n  - a.md\n  - ../b.md',
      /^line 3: context_files\[2\] must be the path of a file from the root .*, not "..\/b.md"$/,
    ],
    ['commit_message: "{title}"', /^line 1: commit_message must be a text with no other placeholders than \{summary\}/],
    [
      'rules:\n  - tools: [edit_file]\n    paths: [src/**]',
      'line 2: rules[1].decide must be deny, ask or allow, and has no value',
    ],
    [
      'rules:\n  - tools: [edit_file]\n    paths: [src/**]\n    decide: allow',
      /^line 4: rules\[1\]\.decide must be deny, because a change always needs a person/,
    ],
    [
      'rules:\n  - {tools: [format_disk], paths: [a], decide: deny}',
      /^line 2: rules\[1\]\.tools\[1\] must be edit_file, /,
    ],
    ['- approvers: write', /^line 1: the file must be a group of model, commands, /],
    ['_extends: evil/x', /^line 1: _extends is not a setting/],
    ['__proto__: {admin: true}', /^line 1: __proto__ is not a setting/],
  ])('%j is refused with an explanation (S127, J2, I12)', (text, problem) => {
    expect(problems(text)).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)]);
  });
});

describe('a path or glob that would cover nothing', () => {
  it.each([
    ...[
      ...['gen/', 'src//a.ts', '/src/a', '!src/**', 'src/{a,b}/**', '**.pem', 'src/***', 'src/a ', 'src/../gen/**'],
      ...['src\\a'],
    ],
  ])('%j is a problem wherever globs are, and says what to write (S127)', (glob) => {
    const quoted = JSON.stringify(glob);
    expect(problems(`protected_paths: [${quoted}]`)).toEqual([
      `line 1: protected_paths[1] must be a glob from the root of the repository, such as src/** or **/*.pem, without .., !, {a,b} and a slash at its end, not ${quoted}`,
    ]);
    expect(problems(`rules: [{tools: [read_file], paths: [${quoted}], decide: deny}]`)).toHaveLength(1);
    expect(problems(`require: [{paths: [${quoted}], approvals: 2}]`)).toHaveLength(1);
  });

  it.each(['pages/[id].tsx', '{name}/x', 'a b/c', 'src/**', '**', '**/*.pem', 'a/**/b/*.ts', '*.md', '.github/x?'])(
    '%j is a glob (S127)',
    (glob) => {
      expect(problems(`protected_paths: [${JSON.stringify(glob)}]`)).toEqual([]);
    },
  );

  it('is a problem of the agent’s instructions too, which are files and no globs (S127)', () => {
    expect(problems('context_files: [docs/*.md, docs/, docs/agent.md]')).toEqual([
      'line 1: context_files[1] must be the path of a file from the root of the repository, such as docs/agents.md, not "docs/*.md"',
      'line 1: context_files[2] must be the path of a file from the root of the repository, such as docs/agents.md, not "docs/"',
    ]);
  });

  it('has its like in a row that asks for nothing, and in a rule for a tool without a path (S127)', () => {
    expect(problems('require:\n  - paths: [pay/**]')).toEqual([
      'line 2: require[1] must be a rule with approvals, approvers or both, not {"paths":["pay/**"]}',
    ]);
    expect(problems('rules: [{tools: [plan], paths: [a], decide: deny}]')).toEqual([
      expect.stringMatching(/^line 1: rules\[1\]\.tools\[1\] must be edit_file, .*, not "plan"$/),
    ]);
  });
});

describe('a hostile or broken file', () => {
  it.each([
    ['a tab as indentation', 'limits:\n\tturns: 5\n', /^line 2: not valid YAML: .*[Tt]ab/],
    ['a duplicate key', 'approvers: admin\ncommands: short\napprovers: write\n', 'line 3: this key appears twice'],
    ['an anchor', 'approvers: &who admin\n', /^line 1: anchors .* are not allowed/],
    ['an alias', 'approvers: &a admin\ncommands: *a\n', /^line 2: anchors .* are not allowed/],
    [
      'an unquoted glob',
      'protected_paths: [**/x]\n',
      /^line 1: anchors .*: write the value itself, and a glob that begins with \* in quotes/,
    ],
    ['a merge', 'limits:\n  <<: {turns: 5}\n', /^line 2: limits\.<< is not a setting/],
    ['a tag', 'approvers: !!binary YWRtaW4=\n', /^line 1: anchors .* are not allowed/],
    [
      'two documents',
      'approvers: admin\n---\napprovers: write\n',
      'line 2: multiple documents in one file; remove the line --- or ...',
    ],
    ['braces without end', '{'.repeat(20_000), 'line 1: the file is nested too deeply to be read'],
    ['a key that is a list', '? [a, b]\n: c\n', 'line 1: a key must be a plain word'],
    ['an unclosed quote', 'approvers: "admin\ncommands: short\n', /not valid YAML/],
  ])('%s is a problem with its line (S127)', (_what, text, problem) => {
    const found = problems(text);
    expect(found).toContainEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
  });

  it('a file that is not UTF-8 is a problem (S127)', () => {
    expect(problems(Buffer.from([0x61, 0x3a, 0x20, 0xff]))).toEqual(['line 1: the file is not UTF-8 text']);
    expect(problems(Buffer.from('approvers: admin\n', 'utf16le'))).toEqual(['line 1: the file is not UTF-8 text']);
    expect(problems('a: \0')).toEqual(['line 1: the file is not UTF-8 text']);
  });

  it('a file of 1 MB is not parsed (S127)', () => {
    const text = `# ${'x'.repeat(1_000_000)}`;
    expect(problems(text)).toEqual([
      `line 1: the file has ${text.length} bytes and at most ${MAX_SETTINGS_BYTES} are read`,
    ]);
    expect(parseSettings({ kind: 'too-large', size: 5_000_000 })).toEqual({
      kind: 'broken',
      problems: [`line 1: the file has 5000000 bytes and at most ${MAX_SETTINGS_BYTES} are read`],
      settings: DEFAULT_SETTINGS,
    });
  });

  it('a directory of that name is a problem, not a missing file (S127)', () => {
    expect(parseSettings({ kind: 'no-file' })).toEqual({
      kind: 'broken',
      problems: ['line 1: .github/countersign.yml is not a file'],
      settings: DEFAULT_SETTINGS,
    });
  });

  it('the number of listed problems is limited (S127)', () => {
    const text = Array.from({ length: 500 }, (_, index) => `wrong_${index}: 1`).join('\n');
    expect(problems(text)).toHaveLength(21);
    expect(problems(text).at(-1)).toBe('and 480 more');
    expect(problems(`${'k'.repeat(20_000)}: 1`).join('').length).toBeLessThan(1_000);
  });

  const bombs: readonly (readonly [string, string])[] = [
    ['doubling aliases', bomb()],
    ['brackets', '['.repeat(30_000)],
    ['deep lists', Array.from({ length: 180 }, (_, depth) => `${' '.repeat(depth)}- - a`).join('\n')],
    ['question marks', '? '.repeat(16_000)],
    ['a long scalar', `model: |\n  ${'x '.repeat(15_000)}`],
    ['anchors', Array.from({ length: 3_000 }, (_, index) => `- &a${index} 1`).join('\n')],
  ];

  it.each(bombs)('%s are parsed quickly and do not crash the process (S127)', (_what, text) => {
    expect(cpuSeconds(() => expect(reading(text).kind).toBe('broken'))).toBeLessThan(8);
  });

  it('no input causes an exception, and each problem is a single line (S127)', () => {
    const yamlish = fc.array(
      fc.constantFrom(
        ...['approvers', 'limits', 'write', 'true', '1', ':', ' ', '\n', '\n  ', '- ', '---\n', '<<', '&a', '*a'],
        ...['[', ']', '{', '}', '"', "'", '|', '>', '!', '%', '#', '\t', '?', ',', '\r', '\u{85}', '\u{2028}'],
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          yamlish.map((parts) => parts.join('')),
          fc.string({ unit: anyCharacter }),
        ),
        (text) => {
          expect(problems(text).filter((problem) => !/^(?:line \d+: .+|and \d+ more)$/.test(problem))).toEqual([]);
        },
      ),
      { numRuns: 700 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(['broken', 'settings']).toContain(reading(bytes).kind);
      }),
    );
  });
});

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let at = 1; at < 30; at += 1)
    lines.push(
      `a${at}: &a${at} [${Array(9)
        .fill(`*a${at - 1}`)
        .join(', ')}]`,
    );
  return lines.join('\n');
}
