import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { Scene } from './scene.ts';
import type { EvalTask, Remark } from './tasks/task.ts';

/** Posts what people wrote before the task, and then the task. Resolves once the App waits for people. */
export async function holdDiscussion(scene: Scene, { discussion = [], place, task }: EvalTask): Promise<void> {
  const ids: number[] = [];
  for (const remark of discussion) await scene.prepare(() => ids.push(postRemark(scene, remark)));
  const { ana } = scene.people;
  await scene.act(() => {
    if (place === undefined) ana.says(task);
    else if ('inThreadOf' in place) ana.replies(ids[place.inThreadOf] ?? 0, task);
    else ana.reviews({ body: task, event: 'COMMENT', comments: place.inReviewWith });
  });
}

/** Returns the id of its comment. */
function postRemark({ github, people, pull, repositoryId }: Scene, { by, on, resolved, says }: Remark): number {
  const person = people[by];
  if (on === undefined) return person.says(says).id;
  const { number, head } = pull();
  const there = { actor: person.actor, repositoryId, number, commitSha: head.sha };
  const { id, threadId } = github.apply(OPERATIONS.createReviewComment, { ...there, ...on, body: says });
  if (resolved === true) person.resolves(pull().threads.get(threadId)?.nodeId ?? '');
  return id;
}
