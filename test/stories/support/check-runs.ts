import type { FakeCheckRun } from '../../../fakes/github/state/github-state.ts';
import type { Speaker } from './speaker.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

/** The App's check runs of the repository, oldest first. */
export function checkRuns(stage: Stage, { pr }: Story): readonly FakeCheckRun[] {
  const { id } = stage.github.app;
  return [...pr.repository().checkRuns.values()].filter(({ appId }) => appId === id);
}

/** The App's newest check run. */
export function checkRun(stage: Stage, story: Story): FakeCheckRun {
  const newest = checkRuns(stage, story).at(-1);
  if (newest === undefined) throw new Error('The App made no check run.');
  return newest;
}

/** The labels of a run's buttons. */
export function buttonsOf({ actions }: FakeCheckRun): readonly string[] {
  return actions.map(({ label }) => label);
}

/** A person who has read the page presses a button of a check run, the newest one by default. */
export async function press(
  stage: Stage,
  story: Story,
  who: Speaker,
  label: 'Approve all' | 'Deny all',
  run = checkRun(stage, story),
): Promise<void> {
  const button = run.actions.find((action) => action.label === label);
  if (button === undefined) throw new Error(`The check run has no button ${label}.`);
  stage.pass(60);
  await who.does((person) => person.presses(run.id, button.identifier));
}
