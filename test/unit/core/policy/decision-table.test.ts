import { describe, expect, it } from 'vitest';
import { singleChange } from '../../../../src/core/edits/change.ts';
import { findDeniedPath } from '../../../../src/core/policy/path-policy.ts';
import { SettingsFileSchema } from '../../../../src/core/settings/settings-schema.ts';
import type { Settings } from '../../../../src/core/state/settings.ts';
import type { ToolName } from '../../../../src/core/state/tools.ts';
import type { Permission } from '../../../../src/core/state/vote.ts';
import { bigint } from '../messages/sample.ts';
import { editAt, isCommitted, isUsed, settingsOf, WAYS, type Way, type Who } from './decision-table.ts';

/** The values of each setting come from the schema, so that a new word is in the tables below. */
const { shape } = SettingsFileSchema;

const rule = shape.rules.unwrap().element.shape;

const APPROVERS = shape.approvers.unwrap().options;

const STANDING = shape.standing_approvals.unwrap().options;

const DECISIONS = rule.decide.options;

const RULE_TOOLS: readonly ToolName[] = rule.tools.element.options;

const FLAGS = [false, true];

const ROLES: readonly Permission[] = ['none', 'read', 'write', 'maintain', 'admin'];

/** Every group of the three people, also nobody. */
const GROUPS: readonly (readonly Who[])[] = FLAGS.flatMap((author) =>
  FLAGS.flatMap((requester) =>
    FLAGS.map((owner) => [
      ...(author ? (['author'] as const) : []),
      ...(requester ? (['requester'] as const) : []),
      ...(owner ? (['owner'] as const) : []),
    ]),
  ),
);

/** By what always needs a person who looks at it. */
const CHANGES = {
  nothing: editAt('src/total.ts'),
  setting: editAt('pay/total.ts'),
  'built-in': editAt('.husky/total.ts'),
};

type Protection = keyof typeof CHANGES;

/** One value of each axis. */
type Cell = {
  readonly approvers: (typeof APPROVERS)[number];
  readonly needed: number;
  readonly notAuthor: boolean;
  readonly notRequester: boolean;
  /** A rule for every tool that the schema lets it have. `covers`: its glob covers the change. */
  readonly rule: { readonly decide: (typeof DECISIONS)[number]; readonly covers: boolean } | null;
  readonly standing: (typeof STANDING)[number];
  readonly protectedBy: Protection;
  readonly role: Permission;
  readonly who: readonly Who[];
  readonly way: Way;
};

/** The rules of the documentation, in its order: rules by path, who can approve, standing approvals, how many. */
function oracle({ rule, role, who, way, standing, protectedBy, ...cell }: Cell): boolean {
  if (rule?.decide === 'deny' && rule.covers) return false;
  const least = cell.approvers === 'codeowners' ? 'write' : cell.approvers;
  if (ROLES.indexOf(role) < ROLES.indexOf(least)) return false;
  if (way !== 'direct') {
    const asksOthers = cell.needed > 1 || cell.notAuthor || cell.notRequester || cell.approvers === 'codeowners';
    return stands(way, standing, protectedBy) && !asksOthers && who.includes('requester');
  }
  const counted = who.filter(
    (one) => !(one === 'author' && cell.notAuthor) && !(one === 'requester' && cell.notRequester),
  );
  return counted.length >= cell.needed && (cell.approvers !== 'codeowners' || counted.includes('owner'));
}

function stands(way: 'path' | 'glob', standing: Cell['standing'], protectedBy: Protection): boolean {
  return protectedBy === 'nothing' && (standing === 'glob' || (standing === 'path' && way === 'path'));
}

type SettingsCell = Omit<Cell, 'protectedBy' | 'role' | 'who' | 'way'>;

/**
 * Every file that the axes of settings make. A rule is beside each of the approvers and standing approvals, without a
 * number and four eyes; the table of denials below has every rule.
 */
function* allFiles(): Generator<SettingsCell> {
  const denials = FLAGS.map((covers) => ({ decide: 'deny', covers }) as const);
  const rules = [null, ...denials, { decide: 'ask', covers: true } as const];
  for (const approvers of APPROVERS)
    for (const needed of [1, 2])
      for (const notAuthor of FLAGS)
        for (const notRequester of FLAGS)
          for (const one of needed > 1 || notAuthor || notRequester ? [null] : rules)
            for (const standing of STANDING) yield { approvers, needed, notAuthor, notRequester, rule: one, standing };
}

/** Every change with every group of people who approve it in every way. A direct approval needs no standing one. */
function* allVotes(settings: SettingsCell): Generator<Cell> {
  for (const protectedBy of ['nothing', 'setting', 'built-in'] as const)
    for (const role of ROLES)
      for (const who of GROUPS)
        for (const way of WAYS)
          if (way !== 'direct' || settings.standing === 'off') yield { ...settings, protectedBy, role, who, way };
}

function settingsFor(cell: SettingsCell): Settings {
  const tools = cell.rule?.decide === 'deny' ? RULE_TOOLS : ['read_file'];
  const paths = cell.rule?.covers === true ? ['**'] : ['docs/**'];
  return settingsOf({
    approvers: cell.approvers,
    required_approvals: cell.needed,
    require_non_author: cell.notAuthor,
    require_non_requester: cell.notRequester,
    rules: cell.rule === null ? [] : [{ tools, paths, decide: cell.rule.decide }],
    protected_paths: ['pay/**'],
    standing_approvals: cell.standing,
  });
}

describe('whether a change is committed', () => {
  it('every role, protection, standing approval, number and four eyes: as an oracle says (S66, S70, S123, S125, S127, A5, A6, A13)', () => {
    const wrong: Cell[] = [];
    const counts = { through: 0, stopped: 0 };
    for (const file of allFiles()) {
      const settings = settingsFor(file);
      for (const cell of allVotes(file)) {
        const { protectedBy, role, who, way } = cell;
        const change = CHANGES[protectedBy];
        const expected = oracle(cell);
        if (isCommitted({ settings, change, tool: 'edit_file', who, role, way }) !== expected) wrong.push(cell);
        counts[expected ? 'through' : 'stopped'] += 1;
      }
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(counts.through).toBeGreaterThan(1_000);
    expect(counts.stopped).toBeGreaterThan(25_000);
  });

  it('a standing approval is used exactly where it stands (S122, S123)', () => {
    for (const standing of STANDING)
      for (const protectedBy of ['nothing', 'setting', 'built-in'] as const)
        for (const way of ['path', 'glob'] as const) {
          const settings = settingsOf({ standing_approvals: standing, protected_paths: ['pay/**'] });
          const change = CHANGES[protectedBy];
          const used = isUsed({ settings, change, tool: 'edit_file', who: ['owner'], role: 'write', way });
          expect(used, `${standing} ${protectedBy} ${way}`).toBe(stands(way, standing, protectedBy));
        }
  });

  it('each key of the schema has an axis here or in the table of needs, or decides nothing about approvals', () => {
    const axes = ['approvers', 'required_approvals', 'require_non_author', 'require_non_requester', 'rules'];
    const elsewhere = ['require', 'expiry'];
    const none = [
      'model',
      'commands',
      'review_event',
      'check_run',
      'label',
      'wait_for_checks',
      'review_approval',
      'commit_message',
      'sign_off',
    ];
    const named = [...axes, 'protected_paths', 'standing_approvals', ...elsewhere, ...none, 'limits', 'context_files'];
    expect(Object.keys(shape).sort()).toEqual(named.sort());
  });
});

/** The tools whose rules hold for a path of a change, beside `read_file` and the called tool. */
const DONE_BY = {
  edit: { path: ['edit_file'], from: [] },
  write: { path: ['write_file'], from: [] },
  delete: { path: ['delete_file'], from: [] },
  move: { path: ['move_file', 'write_file'], from: ['move_file', 'delete_file'] },
} as const;

const CALLS = ['edit', 'write', 'delete', 'move'] as const;

describe('whether a rule denies a change', () => {
  it('every tool, decision, list, kind of change and covered side: as an oracle says (S127)', () => {
    const counts = { denied: 0, free: 0, broken: 0 };
    for (const tool of RULE_TOOLS)
      for (const decide of DECISIONS)
        for (const list of ['repository', 'operator'] as const)
          for (const covered of ['path', 'from', 'neither'] as const) {
            const glob = { path: 'src/**', from: 'lib/**', neither: 'docs/**' }[covered];
            const file = { rules: [{ tools: [tool], paths: [glob], decide }] };
            const isPossible = decide === 'deny' || tool === 'read_file';
            const [repository, operator] = list === 'repository' ? [file, {}] : [{}, file];
            if (!isPossible) {
              expect(() => settingsOf(repository, operator)).toThrow('for read_file alone');
              counts.broken += 1;
              continue;
            }
            const settings = settingsOf(repository, operator);
            for (const op of CALLS)
              for (const called of [`${op}_file`, 'change_files', null] as const) {
                const from = op === 'move' ? 'lib/total.ts' : null;
                const change = singleChange({ ...bigint, op, path: 'src/total.ts', from });
                const origin =
                  called === null ? ({ kind: 'undo' } as const) : ({ kind: 'call', tool: called } as const);
                const touches = covered === 'path' || (covered === 'from' && op === 'move');
                const tools = covered === 'neither' ? [] : ['read_file', called, ...DONE_BY[op][covered]];
                const expected = decide === 'deny' && touches && tools.includes(tool);
                const denied = findDeniedPath(settings, { change, origin }) !== null;
                expect(denied, JSON.stringify({ tool, decide, list, covered, op, called })).toBe(expected);
                counts[expected ? 'denied' : 'free'] += 1;
              }
          }
    expect(counts.denied).toBeGreaterThan(50);
    expect(counts.free).toBeGreaterThan(500);
    expect(counts.broken).toBeGreaterThan(100);
  });
});
