import type { Chance } from '../simulation/chance.ts';
import { proposalsOn, type Shown } from './page.ts';
import { CHANGES, MOST_TASKS, taskText } from './rows.ts';
import type { Site, SitePull } from './site.ts';

/** What a person said about one proposal, once and for ever. */
export type Decision = { readonly says: 'approve' | 'deny'; readonly shown: Shown };

/** Everything that people did on one pull request. */
export type Deeds = { readonly pull: SitePull; tasks: number; readonly decisions: Map<string, Decision> };

/** People who give tasks and decide. */
export type People = {
  readonly deeds: readonly Deeds[];
  /** Each looks at their pull request, and perhaps does something. `winding up`: no more tasks, and no more hesitation. */
  readonly look: (mood: 'at work' | 'winding up') => void;
};

const DECIDES = 0.3;
const GIVES_TASK = 0.25;
/** Though the last one is not decided yet. */
const GIVES_ANOTHER = 0.02;

export function openPeople(site: Site, chance: Chance): People {
  const deeds = site.pulls.map((pull): Deeds => ({ pull, tasks: 0, decisions: new Map() }));
  return {
    deeds,
    look(mood) {
      for (const one of deeds) {
        const winding = mood === 'winding up';
        const open = proposalsOn(site, one.pull).filter(({ id }) => !one.decisions.has(id));
        if (open.length > 0 && (winding || chance.happens(DECIDES))) decide(one, open, chance);
        const rested = one.decisions.size === one.tasks * CHANGES;
        if (!winding && one.tasks < MOST_TASKS && chance.happens(rested ? GIVES_TASK : GIVES_ANOTHER)) giveTask(one);
      }
    },
  };
}

function giveTask(deeds: Deeds): void {
  deeds.pull.act((person) => person.says(taskText(deeds.tasks)));
  deeds.tasks += 1;
}

/** All of them by their ids in one comment, or the first where it stands. */
function decide({ pull, decisions }: Deeds, open: readonly Shown[], chance: Chance): void {
  const says = chance.happens(0.7) ? 'approve' : 'deny';
  const [first] = open;
  const threadId = first?.threadId ?? null;
  if (first !== undefined && threadId !== null && chance.happens(0.6)) {
    pull.act((person) => person.replies(threadId, `/${says}`));
    decisions.set(first.id, { says, shown: first });
    return;
  }
  pull.act((person) => person.says(`/${says} ${open.map(({ id }) => id).join(' ')}`));
  for (const shown of open) decisions.set(shown.id, { says, shown });
}
