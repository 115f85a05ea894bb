import { TRANSITIONS } from '../run/transition.ts';
import type { Counts, Failure, Tally } from './tally.ts';

/** One line on standing cases: how many of all were played in so many seconds. */
export function progressLine({ cases, failures }: Tally, all: number, seconds: number): string {
  return `${cases} of ${all} cases, ${paceOf(cases, seconds)} a second, ${failures.length} broken`;
}

/** A broken case: what is wrong, and how to play it again. */
export function failureLines({ seed, problems }: Failure): readonly string[] {
  const again = `  npm run simulate -- --seed ${seed} --cases 1 --trace`;
  return ['', `seed ${seed}:`, ...problems.map((problem) => `  ${problem}`), again];
}

/** What all cases came to in so many seconds, the broken ones by their seeds. */
export function reportLines(tally: Tally, seconds: number): readonly string[] {
  const ways = Object.entries(TRANSITIONS).flatMap(([from, all]) => all.map((to) => `${from} to ${to}`));
  const never = ways.filter((way) => !Object.hasOwn(tally.transitions, way)).join(', ') || 'nothing';
  return [
    ...tableOf('What went wrong outside', tally.faults),
    ...tableOf('Why signals were decided as they were', tally.reasons),
    ...tableOf('What became of proposals', tally.transitions),
    `    never  ${never}`,
    '',
    `${tally.cases} cases, ${paceOf(tally.cases, seconds)} a second; ${tally.commits} commits`,
    ...tally.failures.toSorted((left, right) => left.seed - right.seed).flatMap(failureLines),
    `${tally.failures.length} broken`,
  ];
}

function paceOf(cases: number, seconds: number): string {
  const pace = cases / Math.max(seconds, 0.001);
  return pace < 10 ? pace.toFixed(1) : pace.toFixed(0);
}

function tableOf(title: string, counts: Counts): readonly string[] {
  const rows = Object.entries(counts).sort(([one, left], [other, right]) => right - left || (one < other ? -1 : 1));
  return ['', title, ...rows.map(([name, amount]) => `${String(amount).padStart(9)}  ${name}`)];
}
