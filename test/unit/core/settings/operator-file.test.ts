import { describe, expect, it } from 'vitest';
import { type OperatorSettings, parseOperatorFile } from '../../../../src/core/settings/operator-file.ts';
import { listSettingsInForce, parseSettings } from '../../../../src/core/settings/repo-settings.ts';
import { DEFAULT_SETTINGS } from '../../../../src/core/state/settings.ts';

function fileOf(text: string) {
  return { kind: 'file', bytes: new TextEncoder().encode(text) } as const;
}

function operator(text: string, defaultModel: string | null = null): OperatorSettings {
  const reading = parseOperatorFile(fileOf(text), defaultModel);
  if (reading.kind === 'broken') throw new Error(reading.problems.join('\n'));
  return reading.values;
}

function problems(text: string, defaultModel: string | null = null): readonly string[] {
  const reading = parseOperatorFile(fileOf(text), defaultModel);
  return reading.kind === 'broken' ? reading.problems : [];
}

const COMPANY = `
commands: prefixed
expiry: 3d
ceilings:
  approvers: maintain
  required_approvals: 2
  standing_approvals: path
  expiry: 5d
models: [large, small]
prices:
  large: { input: 2.5, cached_input: 0.25, output: 10 }
  small: { input: 0.1, output: 0.4 }
`;

describe('the lists that both files add to', () => {
  const company = operator(
    'rules: [{tools: [edit_file], paths: [infra/**], decide: deny}]\nrequire: [{paths: [pay/**], approvals: 2}]\nprotected_paths: [infra/**, a]\n',
  );
  const own =
    'rules: [{tools: [edit_file], paths: [infra/x], decide: deny}]\nrequire: [{paths: [pay/x], approvers: admin}]\nprotected_paths: [a, b]\n';
  const ofCompany = { tools: ['edit_file'], paths: ['infra/**'], decide: 'deny' };

  it('hold together, so that a repository’s own rules take none of the operator’s away (S127)', () => {
    const { settings } = parseSettings(fileOf(own), company);
    expect(settings.operatorRules).toEqual([ofCompany]);
    expect(settings.rules).toEqual([{ tools: ['edit_file'], paths: ['infra/x'], decide: 'deny' }]);
    expect(settings.require).toEqual([
      { paths: ['pay/**'], approvals: 2, approvers: null },
      { paths: ['pay/x'], approvals: null, approvers: 'admin' },
    ]);
    expect(settings.protectedPaths).toEqual(['infra/**', 'a', 'b']);
    const none = parseSettings(fileOf('rules: []\nprotected_paths: []\n'), company).settings;
    expect([none.operatorRules, none.rules, none.protectedPaths]).toEqual([[ofCompany], [], ['infra/**', 'a']]);
  });

  it('of the operator hold while a repository’s file is broken (J3)', () => {
    const broken = parseSettings(fileOf('rules: 5\n'), company);
    expect(broken).toMatchObject({ kind: 'broken', settings: { operatorRules: [ofCompany], rules: [] } });
  });

  it('are shown as one list, the operator’s first (S127)', () => {
    const { text } = listSettingsInForce(fileOf(own), company);
    expect(text).toContain('protected_paths:\n  - infra/**\n  - a\n  - a\n  - b\n');
    expect(text).toMatch(/\nrules:\n {2}- tools:\n {6}- edit_file\n {4}paths:\n {6}- infra\/\*\*\n/);
    expect(listSettingsInForce(null, company).text).toContain('protected_paths:\n  - infra/**\n  - a\n');
  });
});

describe('the operator’s CONFIG_FILE', () => {
  it('has the keys of a repository as defaults, ceilings, models and prices (S127)', () => {
    expect(operator(COMPANY, 'large')).toEqual({
      defaultModel: 'large',
      defaults: { commands: 'prefixed', expiry: '3d' },
      ceilings: { approvers: 'maintain', required_approvals: 2, standing_approvals: 'path', expiry: '5d' },
      models: ['large', 'small'],
      prices: new Map([
        ['large', { input: 2.5, cachedInput: 0.25, output: 10 }],
        ['small', { input: 0.1, cachedInput: 0.1, output: 0.4 }],
      ]),
    });
    expect(operator('# nothing yet\n')).toEqual(operator('{}'));
  });

  it('holds without a repository’s file, and a repository can tighten its ceilings but not loosen them (S127)', () => {
    const company = operator(COMPANY);
    const bounds = { approvers: 'maintain', requiredApprovals: 2, standingApprovals: 'path' } as const;
    const own = { ...DEFAULT_SETTINGS, ...bounds, commands: 'prefixed' } as const;
    expect(parseSettings(null, company)).toEqual({ kind: 'settings', settings: { ...own, expiryHours: 72 } });
    expect(
      parseSettings(fileOf('commands: short\napprovers: admin\nrequired_approvals: 1\nexpiry: 30d\n'), company),
    ).toEqual({
      kind: 'settings',
      settings: { ...own, commands: 'short', approvers: 'admin', expiryHours: 120 },
    });
    expect(parseSettings(fileOf('approvers: writers'), company)).toEqual({
      kind: 'broken',
      problems: [expect.stringContaining('line 1: approvers must be')],
      settings: { ...own, expiryHours: 72 },
    });
  });

  it('is in force where the repository’s is broken, and its problems are listed (S127, J3)', () => {
    const found = listSettingsInForce(fileOf('approvers: admin\ncolor: red\n'), operator(COMPANY));
    expect(found.problems).toEqual([expect.stringMatching(/^line 2: color is not a setting/)]);
    expect(found.text).toContain('\napprovers: maintain\n');
  });

  it('lists all problems with their lines, also below ceilings and prices (S127)', () => {
    const text = [
      'approvers: writers',
      'ceilings:',
      '  required_approvals: 0',
      '  context_files: [a.md]',
      '  require-non-author: true',
      '  limits:',
      '    turn: 5',
      'prices:',
      '  large: { input: -1, output: 1, cache: 2 }',
      '  small: 5',
      'model: [x]',
      'modles: []',
    ].join('\n');
    expect(problems(text)).toEqual([
      'line 1: approvers must be write, maintain, admin or codeowners, not "writers"',
      'line 3: ceilings.required_approvals must be a whole number from 1 to 10, not 0',
      expect.stringMatching(/^line 4: ceilings\.context_files is not a setting; the settings are approvers, /),
      expect.stringMatching(/^line 5: ceilings\.require-non-author is not a setting; the settings are approvers, /),
      expect.stringMatching(/^line 7: ceilings\.limits\.turn is not a setting; the settings are turns, /),
      'line 9: prices.large.input must be dollars per million tokens, from 0 to 100000, not -1',
      'line 9: prices.large.cache is not a setting; the settings are input, cached_input, output',
      expect.stringMatching(/^line 10: prices\.small must be a group of input, cached_input and output, not 5$/),
      'line 11: model must be the name of a model, at most 500 characters in one line, not ["x"]',
      expect.stringMatching(/^line 12: modles is not a setting; the settings are .*, models, prices$/),
    ]);
  });

  it('a limit of cost needs a price of every model that a run can have (S171, S127)', () => {
    const prices = 'prices: {large: {input: 1, output: 2}, small: {input: 1, output: 2}}\n';
    const limited = 'models: [small]\nlimits: {cost_usd: 3}\nceilings:\n  limits: {cost_usd: 5}\n';
    expect(problems(`${limited}${prices}`, 'large')).toEqual([]);
    expect(problems(`${limited}${prices}`, 'huge')).toEqual([
      'line 2: limits.cost_usd needs a price of each model, and the operator’s prices have none of "huge"',
      'line 4: ceilings.limits.cost_usd needs a price of each model, and the operator’s prices have none of "huge"',
    ]);
    expect(problems(limited, 'large')).toEqual([
      'line 2: limits.cost_usd needs a price of each model, and the operator’s prices have none of "large" and "small"',
      'line 4: ceilings.limits.cost_usd needs a price of each model, and the operator’s prices have none of "large" and "small"',
    ]);
    expect(
      problems('models: [constructor]\nceilings: {limits: {cost_usd: 5}}\nprices: {x: {input: 1, output: 1}}\n', 'x'),
    ).toEqual([
      'line 2: ceilings.limits.cost_usd needs a price of each model, and the operator’s prices have none of "constructor"',
    ]);
  });

  it('bounds what a repository gives its runs, and names its models (S171, S127)', () => {
    const company = operator(
      'models: [small]\nlimits: {turns: 30}\nceilings: {limits: {tokens: 5000, cost_usd: 2, runs_per_day: 9}}\nprices: {large: {input: 1, output: 2}, small: {input: 1, output: 2}}\n',
      'large',
    );
    const file = fileOf('model: small\nlimits: {tokens: 9000, cost_usd: 1, runs_per_day: 10, minutes: 7}\n');
    expect(parseSettings(file, company)).toMatchObject({
      kind: 'settings',
      settings: {
        model: 'small',
        limits: {
          ...{ turns: 30, tokens: 5_000, costUsd: 1, minutes: 7, proposalsPerTurn: 20 },
          ...{ runsPerDay: 9, runsPerPersonPerDay: null },
        },
      },
    });
    expect(parseSettings(null, company).settings).toMatchObject({ model: 'large', limits: { costUsd: 2 } });
    expect(listSettingsInForce(file, company).text).toContain(
      '\nlimits:\n  turns: 30\n  tokens: 5000\n  cost_usd: 1\n  minutes: 7\n  proposals_per_turn: 20\n  runs_per_day: 9\n  runs_per_person_per_day: none\n',
    );
  });

  it('a repository’s model that is not offered, and a limit of cost without a price, are problems of its file (S171)', () => {
    const company = operator('models: [small]\nprices: {small: {input: 1, output: 2}}\n', 'large');
    const problemsOf = (text: string, by = company) => {
      const read = parseSettings(fileOf(text), by);
      return read.kind === 'broken' ? [...read.problems, read.settings.model] : [];
    };
    expect(problemsOf('# ours\nmodel: huge\nlimits: {cost_usd: 1}\n')).toEqual([
      'line 2: model must be one that the operator allows ("large" and "small"), not "huge"',
      'large',
    ]);
    expect(problemsOf('limits:\n  cost_usd: 1\n')).toEqual([
      'line 2: limits.cost_usd needs a price of each model, and the operator’s prices have none of "large"',
      'large',
    ]);
    expect(problemsOf('model: small\nlimits:\n  cost_usd: 1\n')).toEqual([]);
    expect(problemsOf('model: large\n')).toEqual([]);
    expect(problemsOf('model: huge\nlimits: {cost_usd: 1}\n', operator('# none\n')), 'unknown to the checker').toEqual(
      [],
    );
  });

  it.each([
    ['anchors', 'approvers: &a write\n', /^line 1: anchors/],
    ['a name of a model that pollutes', 'prices:\n  __proto__: {input: 1, output: 1}\n', null],
    ['a directory', null, /^line 1: CONFIG_FILE is not a file$/],
    ['1 MB', `# ${'x'.repeat(1_000_000)}`, /^line 1: the file has 1000002 bytes/],
  ])('%s in it: a clear answer (S127)', (_what, text, problem) => {
    const reading = parseOperatorFile(text === null ? { kind: 'no-file' } : fileOf(text), null);
    if (problem === null) expect(Object.prototype).not.toHaveProperty('input');
    else expect(reading).toEqual({ kind: 'broken', problems: [expect.stringMatching(problem)] });
  });
});
