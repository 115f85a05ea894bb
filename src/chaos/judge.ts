import { committedOn, proposalsOn, rowsOn } from './page.ts';
import type { Deeds } from './people.ts';
import { CHANGES, rowsText } from './rows.ts';
import type { Site } from './site.ts';

/** What people did, and what came of it. `wrong` has a line for everything that was lost, doubled or not as approved. */
export type Verdict = {
  readonly tasks: number;
  readonly proposals: number;
  readonly approved: number;
  readonly denied: number;
  readonly commits: number;
  readonly wrong: readonly string[];
};

const ENDS = { approve: '**Applied**', deny: '**Rejected' } as const;

/** True once everything that people began has come to its end on the page, right or wrong. */
export function isFinished(site: Site, deeds: readonly Deeds[]): boolean {
  return deeds.every((one) => {
    const shown = proposalsOn(site, one.pull);
    const ended = shown.filter(({ id, body }) => body.includes(ENDS[one.decisions.get(id)?.says ?? 'approve']));
    return ended.length === shown.length && shown.length >= one.tasks * CHANGES;
  });
}

export function judge(site: Site, deeds: readonly Deeds[]): Verdict {
  const all = deeds.flatMap(({ decisions }) => [...decisions.values()]);
  const approved = all.filter(({ says }) => says === 'approve').length;
  return {
    tasks: deeds.reduce((sum, { tasks }) => sum + tasks, 0),
    proposals: deeds.reduce((sum, { pull }) => sum + proposalsOn(site, pull).length, 0),
    approved,
    denied: all.length - approved,
    commits: deeds.reduce((sum, { pull }) => sum + committedOn(site, pull).size, 0),
    wrong: deeds.flatMap((one) => wrongOn(site, one).map((what) => `#${one.pull.number}: ${what}`)),
  };
}

function wrongOn(site: Site, deeds: Deeds): readonly string[] {
  return [...proposalsWrong(site, deeds), ...decisionsWrong(site, deeds), ...bytesWrong(site, deeds)];
}

function proposalsWrong(site: Site, { pull, tasks }: Deeds): readonly string[] {
  const shown = proposalsOn(site, pull);
  const byRow = Map.groupBy(shown, ({ row }) => row);
  const doubled = [...byRow].filter(([, those]) => those.length > 1).map(([row]) => `row ${row} was proposed twice`);
  const lost = Array.from({ length: tasks }, (_, task) => task).flatMap((task) => {
    const rows = new Set(shown.filter((one) => one.task === task).map(({ row }) => row)).size;
    return rows === CHANGES ? [] : [`of task ${task}, ${rows} of ${CHANGES} changes were proposed`];
  });
  return [...doubled, ...lost];
}

function decisionsWrong(site: Site, { pull, decisions }: Deeds): readonly string[] {
  const committed = committedOn(site, pull);
  const bodies = new Map(proposalsOn(site, pull).map(({ id, body }) => [id, body]));
  const decided = [...decisions].flatMap(([id, { says }]) => {
    const times = committed.get(id) ?? 0;
    const due = says === 'approve' ? 1 : 0;
    const ended = bodies.get(id)?.includes(ENDS[says]) ?? false;
    return [
      ...(times === due ? [] : [`${id}: ${says}, and ${times} commits`]),
      ...(ended ? [] : [`${id}: ${says}, and its comment does not say so`]),
    ];
  });
  const alone = [...committed.keys()]
    .filter((id) => !decisions.has(id))
    .map((id) => `${id}: nobody decided, and committed`);
  return [...decided, ...alone];
}

/** The branch holds what was approved and nothing else. */
function bytesWrong(site: Site, { pull, decisions }: Deeds): readonly string[] {
  const done = [...decisions.values()].flatMap(({ says, shown }) =>
    says === 'approve' ? [[shown.row, shown.task] as const] : [],
  );
  return rowsOn(site, pull) === rowsText(new Map(done)) ? [] : ['the file is not what was approved'];
}
