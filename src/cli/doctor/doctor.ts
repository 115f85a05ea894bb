import process from 'node:process';
import { createLogger } from '../../adapters/telemetry/log.ts';
import { type Config, type ConfigResult, listSecrets, loadConfig } from '../../app/config/env.ts';
import { type Finding, MARKS, type Probe } from '../../app/probes.ts';
import { createOutsideProbes } from '../../app/wiring.ts';
import { escapeHiddenAndCr } from '../../core/edits/text/characters.ts';
import { redact } from '../../lib/credentials.ts';
import { withTimeout } from '../../lib/delay.ts';
import { defineCommand, runCommand } from '../options.ts';

const DOCTOR_COMMAND = defineCommand({
  name: 'countersign doctor',
  help: `Usage: countersign doctor [--json]

Looks at everything that the server needs, with the settings that it would start with: the App and its installations
on GitHub, the webhook, the model, the database, and this machine. It asks the model one tiny question and changes
nothing. A server may run meanwhile.

  --json    print JSON for programs
  --help    print this text

Each line begins with a mark: ✓ in order, ⚠ works with less, ✗ wrong. Ends with 0, and with 1 if anything is wrong.
`,
  options: { json: { type: 'boolean' } },
  read: ({ json = false }) => ({ json }),
});

/** A finding, and the probe that found it. */
type Line = Finding & { readonly probe: string };

/** Runs `countersign doctor`. Exit code: 0, 1 if anything is wrong, 2 for wrong options. */
export function runDoctor(argv: readonly string[]): Promise<number> {
  return runCommand(DOCTOR_COMMAND, argv, async ({ json }) => {
    const loaded = loadConfig();
    const lines = [...settingsLines(loaded), ...(loaded.kind === 'config' ? await runProbes(loaded.config) : [])];
    process.stdout.write(json ? `${JSON.stringify(lines, null, 2)}\n` : lines.map(render).join(''));
    return lines.some(({ level }) => level === 'wrong') ? 1 : 0;
  });
}

/** What the settings alone show. Exported for tests. */
export function settingsLines(loaded: ConfigResult): readonly Line[] {
  if (loaded.kind === 'problems')
    return loaded.problems.map((problem) => settingsLine('wrong', 'a setting is missing or wrong', problem));
  const warnings = loaded.warnings.map((warning) => settingsLine('less', 'a setting needs a look', warning));
  return warnings.length > 0 ? warnings : [settingsLine('ok', 'the settings are complete', null)];
}

function settingsLine(level: Line['level'], message: string, fix: string | null): Line {
  return { probe: 'the settings', level, message, fix };
}

/** Together all probes take less than 5 s. */
const DEADLINE_MS = 4_000;

/** Exported for tests. */
export async function runProbes(config: Config): Promise<readonly Line[]> {
  const stopping = new AbortController();
  const log = createLogger({ level: 'silent', format: 'json', secrets: listSecrets(config) });
  const probes = createOutsideProbes(config, log);
  const looks = await Promise.all(probes.map((probe) => look(probe, stopping.signal)));
  stopping.abort();
  return withoutRepeated(looks.flat());
}

async function look({ name, run }: Probe, stopping: AbortSignal): Promise<readonly Line[]> {
  try {
    const findings = await withTimeout(run(stopping), DEADLINE_MS, `no answer within ${DEADLINE_MS / 1_000} s`);
    return findings.map((finding) => ({ ...finding, probe: name }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const fix = 'Try again; if it stays, look at the network of this machine.';
    return [{ probe: name, level: 'wrong', message: `could not check ${name}`, error: reason, fix }];
  }
}

/** One error can keep several probes from looking: the first line tells of it. */
function withoutRepeated(lines: readonly Line[]): readonly Line[] {
  return lines.filter(
    ({ error }, index) => error === undefined || lines.findIndex((line) => line['error'] === error) === index,
  );
}

/** The text in one line, because others wrote parts of it. Exported for tests. */
export function render({ level, message, fix, probe: _, ...fields }: Line): string {
  const details = Object.entries(fields).flatMap(([name, value]) => detailOf(name, value));
  const facts = details.length === 0 ? '' : ` (${details.join(', ')})`;
  const text = `${MARKS[level]} ${message}${facts}${fix === null ? '' : `: ${fix}`}`;
  return `${escapeHiddenAndCr(redact(text.replaceAll(/\s+/g, ' ')))}\n`;
}

/** Lists of accounts stand with the address where their owner clicks; what is empty or unknown stands nowhere. */
function detailOf(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => (isAccount(item) ? `${item.account} ${item.url}` : String(item)));
    return items.length === 0 ? [] : [`${name} ${items.join(', ')}`];
  }
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([part, inner]) => detailOf(part === 'accounts' ? name : part, inner));
  const isEmpty = value === null || value === undefined || (name === 'more' && value === 0);
  return isEmpty ? [] : [`${name} ${String(value)}`];
}

function isAccount(item: unknown): item is { readonly account: string; readonly url: string } {
  return typeof item === 'object' && item !== null && 'account' in item && 'url' in item;
}
