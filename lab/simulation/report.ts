import type { InstallationEvent } from '../../src/core/state/intent.ts';
import { TRANSITIONS } from '../../src/core/state/proposal.ts';
import type { PlayedCase } from './checks/evidence.ts';
import type { CountsByName, FailedCase, SimulationTotals } from './simulate.ts';
import { START_TIME } from './world/fixture.ts';
import type { TraceEvent } from './world/trace.ts';

/** The progress; `expectedCases` is the number of all cases, and `rate` the number that is played per second. */
export function progressLine({ cases, failures }: SimulationTotals, expectedCases: number, rate: number): string {
  return `${cases} of ${expectedCases} cases, ${formatRate(rate)} per second, ${failures.length} broken`;
}

/** The part of the options that replays a case. */
type Played = { readonly hostile: boolean };

/** The problems of a failed case, and the command that replays it. */
export function failureLines({ seed, problems }: FailedCase, { hostile }: Played): readonly string[] {
  const replayCommand = `  npm run simulate --${hostile ? ' --hostile' : ''} --seed ${seed} --cases 1 --trace`;
  return ['', `seed ${seed}:`, ...problems.map((problem) => `  ${problem}`), replayCommand];
}

/** The report of a simulation that took `seconds`. Failed cases come last, ordered by seed. */
export function reportLines(totals: SimulationTotals, seconds: number, played: Played): readonly string[] {
  const transitions = Object.entries(TRANSITIONS).flatMap(([from, targets]) => targets.map((to) => `${from} to ${to}`));
  const unseen = transitions.filter((name) => !Object.hasOwn(totals.transitions, name)).join(', ') || 'nothing';
  return [
    ...countTable('Faults', totals.faults),
    ...countTable('Decided signals by reason', totals.reasons),
    ...countTable('State changes of proposals', totals.transitions),
    `    never  ${unseen}`,
    '',
    `${totals.cases} cases, ${formatRate(totals.cases / Math.max(seconds, 0.001))} per second; ${totals.commits} commits`,
    ...totals.failures
      .toSorted((left, right) => left.seed - right.seed)
      .flatMap((failure) => failureLines(failure, played)),
    `${totals.failures.length} broken`,
  ];
}

function formatRate(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : rate.toFixed(0);
}

function countTable(title: string, counts: CountsByName): readonly string[] {
  const rows = Object.entries(counts).sort(
    ([leftName, left], [rightName, right]) => right - left || (leftName < rightName ? -1 : 1),
  );
  return ['', title, ...rows.map(([name, amount]) => `${String(amount).padStart(9)}  ${name}`)];
}

/** The events of a case, one per line, each with its time in seconds. */
export function describeCase({ trace }: PlayedCase): readonly string[] {
  return trace.events.flatMap((event) => {
    const text = describeTraceEvent(event);
    return text === null ? [] : [`${((event.at - START_TIME) / 1_000).toFixed(3).padStart(9)}  ${text}`];
  });
}

function describeTraceEvent(event: TraceEvent): string | null {
  switch (event.kind) {
    case 'person-action':
      return `${event.actor} ${event.action}`;
    case 'fault':
      return `    !! ${event.fault} at ${event.where}`;
    case 'note':
      return `    ${event.text}`;
    case 'received':
      return `    ${event.delivery.id} is ${event.receipt}: ${event.delivery.intent.kind}`;
    case 'installation-event-received':
      return `    installation event: ${describeInstallationEvent(event.installationEvent)} (${event.receipt})`;
    case 'saved':
      return describeSavedStep(event);
    case 'committed':
      return `    commit of ${event.plan.proposalIds.join(', ')}: ${JSON.stringify(event.outcome)}`;
    case 'listed':
      return `    check run ${event.checkRunId}${event.hasButtons ? ', with buttons' : ''}`;
    case 'effect-started':
      return `    ${event.effect.effect.type} begins, attempt ${event.effect.attempts}`;
    case 'acknowledged':
    case 'claimed':
    case 'permission':
    case 'team':
      return null;
  }
}

function describeInstallationEvent(event: InstallationEvent): string {
  return event.kind === 'access-lost' ? `access lost, ${event.cause}` : 'access restored';
}

function describeSavedStep({ signal, step, result, before }: Extract<TraceEvent, { kind: 'saved' }>): string {
  const signalText = signal.type === 'intent' ? `${signal.intent.kind} (${signal.deliveryId})` : signal.type;
  const transitions = step.pull.proposals
    .filter(({ id, state }) => before.get(id) !== state)
    .map(({ id, state }) => `${id} ${before.get(id) ?? 'new'} to ${state}`);
  const effects = step.effects.map(({ type }) => type).join(', ');
  const changes = [...transitions, ...(effects === '' ? [] : [`effects ${effects}`])];
  return `    ${signalText}: ${step.reason} (${result}) ${changes.join('; ')}`;
}
