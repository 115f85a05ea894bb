import process from 'node:process';
import { readSettingsFile } from '../../app/config/operator-settings.ts';
import { escapeHiddenAndCr } from '../../core/edits/text/characters.ts';
import { NO_OPERATOR_SETTINGS, parseOperatorFile } from '../../core/settings/operator-file.ts';
import { listSettingsInForce } from '../../core/settings/repo-settings.ts';
import { defineCommand, OptionsError, reportProblem, runCommand } from '../options.ts';

const CONFIG_COMMAND = defineCommand({
  name: 'countersign config',
  help: `Usage: countersign config --check FILE [--operator FILE] [--model NAME]

Checks a repository's settings file (.github/countersign.yml) as the server reads it, and lists every setting in
force. No network, no database, no credentials.

  --check FILE     the repository's settings file
  --operator FILE  the operator's CONFIG_FILE, whose defaults and ceilings hold too; alone, it is checked itself
  --model NAME     the server's OPENAI_MODEL; without it, names of models are not checked
  --help           print this text

Ends with 0 if all is well, 1 if a file has problems (each with its line), and 2 for wrong options and unreadable
files.
`,
  options: { check: { type: 'string' }, operator: { type: 'string' }, model: { type: 'string' } },
  read({ check = null, operator = null, model = null }) {
    if (check === null && operator === null) throw new OptionsError('--check needs a settings file.');
    return { check, operator, model };
  },
});

type ConfigOptions = ReturnType<typeof CONFIG_COMMAND.read>;

/** Runs `countersign config`. Exit code: 0, 1 for files with problems, 2 for wrong options and unreadable files. */
export function runConfig(argv: readonly string[]): Promise<number> {
  return runCommand(CONFIG_COMMAND, argv, checkFiles);
}

function checkFiles({ check, operator, model }: ConfigOptions): number {
  try {
    const none = { kind: 'values', values: { ...NO_OPERATOR_SETTINGS, defaultModel: model } } as const;
    const bounds = operator === null ? none : parseOperatorFile(readSettingsFile(operator), model);
    if (bounds.kind === 'broken') return printProblems(operator, bounds.problems);
    const found = listSettingsInForce(check === null ? null : readSettingsFile(check), bounds.values);
    if (found.problems.length > 0) return printProblems(check, found.problems);
    process.stdout.write(escapeHiddenAndCr(found.text));
    return 0;
  } catch (error) {
    // Nothing but reading the files throws.
    return reportProblem(CONFIG_COMMAND.name, error instanceof Error ? error.message : String(error));
  }
}

function printProblems(path: string | null, problems: readonly string[]): number {
  process.stdout.write(
    `${escapeHiddenAndCr(path ?? '').replaceAll(/\s+/g, ' ')} has these problems:\n${problems.map((problem) => `- ${problem}\n`).join('')}`,
  );
  return 1;
}
