import type { Readiness } from '../adapters/http/server.ts';
import type { WaitingWork } from '../adapters/telemetry/metrics.ts';
import { escapeHtml } from '../lib/format.ts';
import { type Finding, MARKS } from './probes.ts';

type StatusInput = {
  readonly version: string;
  /** The App's name on GitHub; null until GitHub has told it. */
  readonly app: string | null;
  readonly readiness: Readiness;
  readonly hears: string;
  readonly isPaused: boolean;
  readonly upMs: number;
  /** Null while the database does not answer. */
  readonly waiting: WaitingWork | null;
  /** Null for a probe that has not looked yet. */
  readonly probes: readonly { readonly name: string; readonly findings: readonly Finding[] | null }[];
};

/** The page at `/`: no script, and of what the probes found only the constant messages, because anybody can open it. */
export function renderStatusPage(input: StatusInput): string {
  const { version, app, readiness, hears, isPaused, upMs, waiting, probes } = input;
  const findings = probes.flatMap((probe) => probe.findings ?? []);
  const installations = findings.map((finding) => finding['installations']).find((count) => count !== undefined);
  const rows: readonly (readonly [string, string])[] = [
    [
      'State',
      isPaused ? `${describeReadiness(readiness)}, paused: events are stored and wait` : describeReadiness(readiness),
    ],
    ['App', app ?? 'not known yet'],
    ['Hears by', hears],
    ...(typeof installations === 'number' ? [['Accounts served', String(installations)] as const] : []),
    ...(waiting === null ? [] : countRows(waiting)),
    ['Running for', `${Math.floor(upMs / 60_000)} min`],
  ];
  const facts = rows.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('\n');
  const lines = findings.map(({ level, message }) => `<li>${MARKS[level]} ${escapeHtml(message)}</li>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Countersign</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
</head>
<body>
<h1>Countersign ${escapeHtml(version)}</h1>
<p>An AI coding agent inside pull requests that cannot change a byte without a person’s countersignature.</p>
<dl>
${facts}
</dl>
<ul>
${lines === '' ? '<li>nothing was looked at yet</li>' : lines}
</ul>
<p>The server looks at its start and every hour. <code>countersign doctor</code> looks now, and says what to do.</p>
</body>
</html>
`;
}

function countRows({ pendingChanges, runs, dueSignals, dueEffects }: WaitingWork) {
  const active = runs.reduce((sum, { count }) => sum + count, 0);
  return [
    ['Changes that wait for people', String(pendingChanges)],
    ['Runs', String(active)],
    ['Events and effects that are due', `${dueSignals} and ${dueEffects}`],
  ] as const;
}

function describeReadiness({ isReady, words }: Readiness): string {
  if (!isReady) return `not ready: ${words.join()}`;
  return words.length === 0 ? 'ready' : `ready, but ${words.join(' and ')} does not answer`;
}
