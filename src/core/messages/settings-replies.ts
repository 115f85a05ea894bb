import { formatList } from '../../lib/format.ts';
import { groupSettings, MISNAMED_SETTINGS_PATH, type SettingGroup } from '../settings/repo-settings.ts';
import { listEntries } from '../settings/settings-change.ts';
import type {
  ChangedSetting,
  SettingInForce,
  SettingSource,
  SettingsChange,
  SettingsInForce,
} from '../state/settings.ts';
import {
  codeBlock,
  codeSpan,
  joinBlocks,
  MAX_POSTED_BODY_BYTES,
  renderWithin,
  SETTINGS_MARKER,
  tableCodeSpan,
  truncate,
} from './shared/markdown.ts';

const SETTINGS_FILE = codeSpan('.github/countersign.yml');

const SOURCE_TEXTS = {
  default: 'default',
  operator: 'operator',
  repository: SETTINGS_FILE,
  ceiling: 'the operator’s bound',
} as const satisfies Record<SettingSource, string>;

const MAX_VALUE_CHARACTERS = 200;

/** Shares of the limits of lists that are tried in turn: escaped text is longer. */
const LIMIT_SHARES: readonly number[] = [1, 1 / 2, 1 / 4, 1 / 8];

/** Room for the marker of the reply. */
const MAX_SETTINGS_REPLY_BYTES = MAX_POSTED_BODY_BYTES - 1_000;

/**
 * The settings in force as tables, in groups. A broken file is named first, because no approval counts until it is
 * fixed.
 */
export function renderSettings({ settings, problems }: SettingsInForce): string {
  const render = (share: number): string =>
    joinBlocks(
      problems.length === 0 ? '' : renderProblems(problems),
      problems.length === 0 ? 'Settings in force:' : 'Until then these hold, and no approval takes effect:',
      ...groupSettings(settings).map((group) => settingsTable(group, share)),
      'What decides who may approve, where and in advance is read again at each decision, the form of commit messages at each commit; a run keeps the other settings that it began with, among them its model, its limits and what it may read.',
    );
  return renderWithin(LIMIT_SHARES, render, MAX_SETTINGS_REPLY_BYTES);
}

/** The entries of long lists stand below the table, one a line. */
function settingsTable({ title, settings }: SettingGroup, share: number): string {
  const long = settings.filter(({ value }) => longListOf(value) !== null);
  return joinBlocks(
    `**${title}**`,
    ['| setting | value | from |', '|---|---|---|', ...settings.map(formatSetting)].join('\n'),
    bothListsText(settings),
    ...long.map(({ key, value, source }) =>
      [`${codeSpan(key)}, from ${SOURCE_TEXTS[source]}:`, '', ...listLines(longListOf(value) ?? [], share)].join('\n'),
    ),
  );
}

/** The operator's list and the repository's stand in rows of their own. */
function bothListsText(settings: readonly SettingInForce[]): string {
  const keys = settings.map(({ key }) => key);
  const repeated = keys.filter((key, index) => keys.indexOf(key) < index).map(codeSpan);
  return repeated.length === 0 ? '' : `Both lists of ${formatList(repeated)} hold, and the stricter one counts.`;
}

function formatSetting({ key, value, source }: SettingInForce): string {
  const list = longListOf(value);
  const shown = value.length > MAX_VALUE_CHARACTERS ? `${truncate(value, MAX_VALUE_CHARACTERS)}…` : value;
  const cell = list === null ? tableCodeSpan(shown) : `${list.length} entries, listed below`;
  return `| ${codeSpan(key)} | ${cell} | ${SOURCE_TEXTS[source]} |`;
}

const MAX_LIST_CHARACTERS = 80;

/** Null for a value that fits into a table's cell. */
function longListOf(value: string): readonly string[] | null {
  return value.length > MAX_LIST_CHARACTERS ? listEntries(value) : null;
}

/** Numbered, because the first rule that matches decides. */
function listLines(entries: readonly string[], share: number): readonly string[] {
  const shown = entries.slice(0, Math.floor(MAX_ENTRIES_LISTED * share));
  const lines = shown.map((entry) => `1. ${shortValue(entry, MAX_ENTRY_CHARACTERS * share)}`);
  const remaining = entries.length - lines.length;
  return remaining === 0 ? lines : [...lines, `1. and ${remaining} more`];
}

function renderProblems(problems: readonly string[]): string {
  return joinBlocks(
    `${SETTINGS_FILE} on the default branch has these problems:`,
    formatProblems(problems),
    'Fix the file on the default branch.',
  );
}

const MAX_PROBLEMS_SHOWN = 30;

const MAX_PROBLEM_CHARACTERS = 500;

/** The problems of a settings file in a code block, one per line. */
export function formatProblems(problems: readonly string[]): string {
  return codeBlock('text', problems.slice(0, MAX_PROBLEMS_SHOWN).map(toSingleLine));
}

/** A problem quotes the file, so it might contain line ends and hidden characters. */
function toSingleLine(problem: string): string {
  return truncate(problem.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' '), MAX_PROBLEM_CHARACTERS);
}

/** The comment about a pull request that no longer changes its settings file. */
export const SETTINGS_UNCHANGED_TEXT = joinBlocks(
  SETTINGS_MARKER,
  `This pull request no longer changes ${SETTINGS_FILE} on the default branch, so Countersign’s settings stay as they are.`,
);

/** The comment about a pull request that adds the file under a name that is not read. */
export const SETTINGS_MISNAMED_TEXT = joinBlocks(
  SETTINGS_MARKER,
  `⚠️ This pull request adds ${codeSpan(MISNAMED_SETTINGS_PATH)}, which **has no effect**: Countersign reads ${SETTINGS_FILE} only. Rename the file.`,
);

const MAX_ENTRIES_LISTED = 40;

const MAX_BRANCH_CHARACTERS = 100;

/**
 * The comment about a pull request's own settings file: the settings in force that differ, or the file's problems. At
 * most 60,000 bytes of UTF-8 for any file.
 */
export function renderSettingsChange(change: SettingsChange, defaultBranch: string): string {
  const branch = codeSpan(truncate(defaultBranch, MAX_BRANCH_CHARACTERS));
  const verb = change.isDeleted ? 'deletes' : change.isNew ? 'adds' : 'changes';
  return renderWithin(LIMIT_SHARES, (share) =>
    joinBlocks(
      SETTINGS_MARKER,
      `**This pull request ${verb} Countersign’s settings** in ${SETTINGS_FILE}. Nothing of it takes effect before it is merged into ${branch}.`,
      change.problems.length > 0 ? problemsText(change) : changedText(change, branch, share),
      change.isBrokenNow ? brokenNowText(change, branch) : '',
    ),
  );
}

/** As `/config` says it of the default branch, but before it is too late. */
function problemsText({ problems }: SettingsChange): string {
  return joinBlocks(
    '⚠️ Its file has these problems. Once it is merged, **no approval takes effect** until they are fixed:',
    formatProblems(problems),
  );
}

function brokenNowText({ problems }: SettingsChange, branch: string): string {
  const now = `The file on ${branch} has problems now, so no approval takes effect`;
  return problems.length > 0 ? `${now}.` : `${now} until this is merged.`;
}

function changedText(change: SettingsChange, branch: string, share: number): string {
  const values = change.changed.filter((one) => one.kind === 'value');
  const lists = change.changed.filter((one) => one.kind === 'list');
  return joinBlocks(
    change.changed.length === 0 ? 'No setting in force changes.' : '',
    values.length === 0
      ? ''
      : ['| setting | now | after the merge | from |', '|---|---|---|---|', ...values.map(changedRow)].join('\n'),
    ...lists.map((list) => listText(list, share)),
    ...change.bounded.map(boundedText),
    change.isCombined
      ? `${branch} has changed the file since this pull request branched off. A setting that only ${branch} changed is not listed.`
      : '',
  );
}

const DIRECTION_TEXTS = { stricter: ' (stricter)', looser: ' ⚠️ looser' } as const;

function changedRow({ key, source, ...setting }: Extract<ChangedSetting, { kind: 'value' }>): string {
  const { before, after, direction } = setting;
  const [left, right] = showDifference(before, after);
  const hint = direction === null ? '' : DIRECTION_TEXTS[direction];
  return `| ${codeSpan(key)} | ${left} | ${right}${hint} | ${SOURCE_TEXTS[source]} |`;
}

const SHARED_CHARACTERS = 20;

/** Both values for a table. Of long ones, the part where they differ: a cut one must not look like the other. */
function showDifference(before: string | null, after: string | null): readonly [string, string] {
  const [left, right] = [[...(before ?? '')], [...(after ?? '')]];
  const isLong = Math.max(left.length, right.length) > MAX_VALUE_CHARACTERS;
  const differsAt = left.findIndex((character, index) => character !== right[index]);
  const same = differsAt === -1 ? left.length : differsAt;
  const start = isLong ? Math.max(0, same - SHARED_CHARACTERS) : 0;
  const show = (characters: readonly string[]): string => {
    const shown = characters.slice(start, start + MAX_VALUE_CHARACTERS).join('');
    const isCut = characters.length > start + MAX_VALUE_CHARACTERS;
    return tableCodeSpan(`${start > 0 ? '…' : ''}${shown}${isCut ? '…' : ''}`);
  };
  return [before === null ? 'none' : show(left), after === null ? 'none' : show(right)];
}

function listText(list: Extract<ChangedSetting, { kind: 'list' }>, share: number): string {
  const { key, source, added, removed, isReordered } = list;
  return [
    `${codeSpan(key)}, from ${SOURCE_TEXTS[source]}:`,
    '',
    ...entryLines('added', added, share),
    ...entryLines('removed', removed, share),
    ...(isReordered
      ? [`- The ${added.length + removed.length === 0 ? 'same' : 'other'} entries get another order.`]
      : []),
  ].join('\n');
}

function entryLines(verb: string, entries: readonly string[], share: number): readonly string[] {
  const shown = entries.slice(0, Math.floor(MAX_ENTRIES_LISTED * share));
  const remaining = entries.length - shown.length;
  const lines = shown.map((entry) => `- ${verb} ${shortValue(entry, MAX_ENTRY_CHARACTERS * share)}`);
  return remaining === 0 ? lines : [...lines, `- ${verb} ${remaining} more`];
}

const MAX_ENTRY_CHARACTERS = 500;

function shortValue(value: string, maxCharacters: number): string {
  const shown = truncate(value, maxCharacters);
  return codeSpan(shown === value ? value : `${shown}…`);
}

function boundedText({ key, wanted, inForce }: SettingsChange['bounded'][number]): string {
  return `${codeSpan(key)} stays within the operator’s bound: the file says ${shortValue(wanted, MAX_VALUE_CHARACTERS)}, and ${shortValue(inForce, MAX_VALUE_CHARACTERS)} is in force.`;
}
