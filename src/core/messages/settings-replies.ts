import type { Reply } from '../../lib/trust.ts';
import { escapeHiddenAndCr } from '../edits/text/characters.ts';
import type { SettingsInForce } from '../state/settings.ts';
import { codeBlock, codeSpan, composeReply, joinBlocks, renderWithin, truncate } from './shared/markdown.ts';

const SETTINGS_FILE = codeSpan('.github/countersign.yml');

/** Characters that are tried in turn for the settings: escaped text is longer. */
const SETTINGS_LIMITS = [50_000, 25_000, 12_000, 6_000] as const;

/**
 * The settings in force as a settings file says them. A broken file is named first, because no approval counts until it
 * is fixed.
 */
export function settingsShown({ text, problems }: SettingsInForce): Reply {
  return renderWithin(SETTINGS_LIMITS, (maxCharacters) =>
    composeReply(
      problems.length === 0 ? '' : renderProblems(problems),
      problems.length === 0 ? 'Settings in force:' : 'Until then these hold, and no approval takes effect:',
      settingsBlock(text, maxCharacters),
      'What decides who may approve and in advance is read again at each decision, the form of commit messages at each commit; a run keeps the other settings that it began with, among them its model, its limits and what it may read.',
    ),
  );
}

function settingsBlock(text: string, maxCharacters: number): string {
  const shown = truncate(text, maxCharacters);
  const lines = shown.trimEnd().split('\n').map(escapeHiddenAndCr);
  return codeBlock('yaml', [...lines, ...(shown === text ? [] : ['# … and more'])]);
}

/** What is wrong with the settings file, and where. */
export function renderProblems(problems: readonly string[]): string {
  return joinBlocks(
    `${SETTINGS_FILE} on the default branch has these problems:`,
    codeBlock('text', problems.slice(0, MAX_PROBLEMS_SHOWN).map(toSingleLine)),
    'Fix the file on the default branch.',
  );
}

const MAX_PROBLEMS_SHOWN = 30;

const MAX_PROBLEM_CHARACTERS = 500;

/** A problem quotes the file, so it might contain line ends and hidden characters. */
function toSingleLine(problem: string): string {
  return truncate(problem.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' '), MAX_PROBLEM_CHARACTERS);
}
