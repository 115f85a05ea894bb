import { DemoEnded } from './demo-ended.ts';
import type { Decision } from './play.ts';
import { columns } from './show-markdown.ts';
import { harmless, type Terminal } from './terminal.ts';
import type { Check } from './verify.ts';

/** Prints what git said; answers 0 where all of it holds. Throws `DemoEnded` where it does not, or nothing was approved. */
export function conclude(
  checks: readonly Check[],
  decisions: readonly Decision[],
  { line, paint }: Terminal,
  seconds: number,
): number {
  line();
  line(paint('bold', 'Verified with git, from the objects of the branch alone:'));
  const rows = checks.map(({ what, who, problem }) => [
    problem === null ? paint('green', '✓') : paint('red', '✗'),
    harmless(what),
    who,
    problem === null ? '' : paint('red', harmless(problem)),
  ]);
  for (const row of columns(rows)) line(`  ${row}`);
  line();
  const problems = checks.filter(({ problem }) => problem !== null).length;
  const approved = decisions.filter(({ verdict }) => verdict === 'approved' || verdict === 'pressed').length;
  if (problems > 0)
    throw new DemoEnded(`the branch is not what was approved (${problems} of ${checks.length} checks failed).`, 1);
  if (approved === 0) throw new DemoEnded('no change was approved, so nothing could be shown.', 1);
  const changes = approved === 1 ? 'one approved change' : `${approved} approved changes`;
  line(`The branch holds exactly the ${changes}. ${seconds.toFixed(1)} s.`);
  return 0;
}
