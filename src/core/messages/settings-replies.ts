import { formatList } from '../../lib/format.ts';
import type { SettingInForce, SettingSource, SettingsInForce } from '../state/settings.ts';
import { codeBlock, codeSpan, joinBlocks, tableCodeSpan, truncate } from './markdown.ts';

const SETTINGS_FILE = codeSpan('.github/countersign.yml');

const SOURCE_TEXTS = {
  default: 'default',
  operator: 'operator',
  repository: SETTINGS_FILE,
  ceiling: 'the operator’s bound',
} as const satisfies Record<SettingSource, string>;

const MAX_VALUE_CHARACTERS = 200;

/** The settings in force as a table. A broken file is named first, because no approval counts until it is fixed. */
export function renderSettings({ settings, problems, keysWithoutEffect }: SettingsInForce): string {
  return joinBlocks(
    problems.length === 0 ? '' : renderProblems(problems),
    problems.length === 0 ? 'Settings in force:' : 'Until then these hold, and no approval takes effect:',
    ['| setting | value | from |', '|---|---|---|', ...settings.map(formatSetting)].join('\n'),
    withoutEffectText(keysWithoutEffect),
    'Rules about approvers and paths are read again at each decision; a run keeps the other settings that it began with.',
  );
}

function formatSetting({ key, value, source }: SettingInForce): string {
  const shown = value.length > MAX_VALUE_CHARACTERS ? `${truncate(value, MAX_VALUE_CHARACTERS)}…` : value;
  return `| ${codeSpan(key)} | ${tableCodeSpan(shown)} | ${SOURCE_TEXTS[source]} |`;
}

function renderProblems(problems: readonly string[]): string {
  return joinBlocks(
    `${SETTINGS_FILE} on the default branch has these problems:`,
    formatProblems(problems),
    'Fix the file on the default branch.',
  );
}

/** Settings of a repository's file that have no effect; empty if there are none. */
export function withoutEffectText(keys: readonly string[]): string {
  if (keys.length === 0) return '';
  return `${SETTINGS_FILE} sets ${formatList(keys.map(codeSpan))}, which ${keys.length === 1 ? 'has' : 'have'} no effect in this version of Countersign.`;
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
