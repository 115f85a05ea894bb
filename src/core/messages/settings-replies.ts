import { escapeHiddenAndCr } from '../edits/text/unicode.ts';
import type { SettingsInForce } from '../state/settings.ts';
import { codeBlock, codeSpan, joinBlocks, MAX_POSTED_BODY_BYTES, renderWithin, truncate } from './shared/markdown.ts';

const SETTINGS_FILE = codeSpan('.github/countersign.yml');

/** Characters that are tried in turn for the settings: escaped text is longer. */
const SETTINGS_LIMITS: readonly number[] = [50_000, 25_000, 12_000, 6_000];

/** Room for the marker of the reply. */
const MAX_SETTINGS_REPLY_BYTES = MAX_POSTED_BODY_BYTES - 1_000;

/**
 * The settings in force as a settings file says them. A broken file is named first, because no approval counts until it
 * is fixed.
 */
export function renderSettings({ text, problems }: SettingsInForce): string {
  const render = (maxCharacters: number): string =>
    joinBlocks(
      problems.length === 0 ? '' : renderProblems(problems),
      problems.length === 0 ? 'Settings in force:' : 'Until then these hold, and no approval takes effect:',
      settingsBlock(text, maxCharacters),
      'What decides who may approve and in advance is read again at each decision, the form of commit messages at each commit; a run keeps the other settings that it began with, among them its model, its limits and what it may read.',
    );
  return renderWithin(SETTINGS_LIMITS, render, MAX_SETTINGS_REPLY_BYTES);
}

function settingsBlock(text: string, maxCharacters: number): string {
  const shown = truncate(text, maxCharacters);
  const lines = shown.trimEnd().split('\n').map(escapeHiddenAndCr);
  return codeBlock('yaml', [...lines, ...(shown === text ? [] : ['# … and more'])]);
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
