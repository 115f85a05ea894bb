import type { InstallationEvent } from '../../src/core/state/intent.ts';
import { TRANSITIONS } from '../../src/core/state/proposal.ts';
import type { PlayedCase } from './checks/evidence.ts';
import type { CountsByName, FailedCase, SimulationTotals } from './simulate.ts';
import { START_TIME } from './world/fixture.ts';
import type { TraceEvent } from './world/trace.ts';

/** One line on standing cases: how many of all were played in so many seconds. */
export function progressLine({ cases, failures }: SimulationTotals, all: number, seconds: number): string {
  return `${cases} of ${all} cases, ${casesPerSecond(cases, seconds)} a second, ${failures.length} broken`;
}

/** A broken case: what is wrong, and how to play it again. */
export function failureLines({ seed, problems }: FailedCase): readonly string[] {
  const again = `  npm run simulate -- --seed ${seed} --cases 1 --trace`;
  return ['', `seed ${seed}:`, ...problems.map((problem) => `  ${problem}`), again];
}

/** What all cases came to in so many seconds, the broken ones by their seeds. */
export function reportLines(totals: SimulationTotals, seconds: number): readonly string[] {
  const ways = Object.entries(TRANSITIONS).flatMap(([from, all]) => all.map((to) => `${from} to ${to}`));
  const never = ways.filter((way) => !Object.hasOwn(totals.transitions, way)).join(', ') || 'nothing';
  return [
    ...countTable('What went wrong outside', totals.faults),
    ...countTable('Why signals were decided as they were', totals.reasons),
    ...countTable('What became of proposals', totals.transitions),
    `    never  ${never}`,
    '',
    `${totals.cases} cases, ${casesPerSecond(totals.cases, seconds)} a second; ${totals.commits} commits`,
    ...totals.failures.toSorted((left, right) => left.seed - right.seed).flatMap(failureLines),
    `${totals.failures.length} broken`,
  ];
}

function casesPerSecond(cases: number, seconds: number): string {
  const pace = cases / Math.max(seconds, 0.001);
  return pace < 10 ? pace.toFixed(1) : pace.toFixed(0);
}

function countTable(title: string, counts: CountsByName): readonly string[] {
  const rows = Object.entries(counts).sort(([one, left], [other, right]) => right - left || (one < other ? -1 : 1));
  return ['', title, ...rows.map(([name, amount]) => `${String(amount).padStart(9)}  ${name}`)];
}

/** A case as a story: a line for each thing that mattered, with its time in seconds. */
export function describeCase({ trace }: PlayedCase): readonly string[] {
  return trace.events.flatMap((event) => {
    const words = describeTraceEvent(event);
    return words === null ? [] : [`${((event.at - START_TIME) / 1_000).toFixed(3).padStart(9)}  ${words}`];
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
      return `    is told of its installation: ${describeInstallationEvent(event.notice)} (${event.receipt})`;
    case 'saved':
      return describeSavedStep(event);
    case 'committed':
      return `    commit of ${event.plan.proposalIds.join(', ')}: ${JSON.stringify(event.outcome)}`;
    case 'effect-started':
      return `    begins ${event.effect.effect.type}, try ${event.effect.attempts}`;
    case 'acknowledged':
    case 'claimed':
    case 'effect-finished':
    case 'permission':
      return null;
  }
}

function describeInstallationEvent(notice: InstallationEvent): string {
  return notice.kind === 'access-lost' ? `access is lost, ${notice.cause}` : 'it may act again';
}

function describeSavedStep({ signal, step, result, before }: Extract<TraceEvent, { kind: 'saved' }>): string {
  const what = signal.type === 'intent' ? `${signal.intent.kind} (${signal.deliveryId})` : signal.type;
  const moves = step.pull.proposals
    .filter(({ id, state }) => before.get(id) !== state)
    .map(({ id, state }) => `${id} ${before.get(id) ?? 'new'} to ${state}`);
  const wanted = step.effects.map(({ type }) => type).join(', ');
  return `    ${what}: ${step.reason} (${result}) ${[...moves, ...(wanted === '' ? [] : [`wants ${wanted}`])].join('; ')}`;
}
