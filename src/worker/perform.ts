import { NONE_NAMED } from '../run/named-proposals.ts';
import { askModel } from './ask-model.ts';
import { askQuestion } from './ask-question.ts';
import { catchUp } from './catch-up.ts';
import { performCommit } from './commit.ts';
import { expire, seeDeadline } from './deadlines.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import { postAnswer } from './post-answer.ts';
import { postReview } from './post-review.ts';
import { releaseReview } from './release-review.ts';
import { seeOutdated } from './see-outdated.ts';
import { seeThread } from './see-thread.ts';
import { showProposal } from './show-proposal.ts';
import { showReview } from './show-review.ts';
import { showRun } from './show-run.ts';
import { useTools } from './use-tools.ts';

/** Performs one effect. Throws `GitHubFault` and `ModelFault`, which the caller turns into a later attempt. */
export function perform(job: Job): Promise<Outcome> {
  const { effect } = job;
  switch (effect.type) {
    case 'ask-model':
      return askModel({ ...job, effect });
    case 'ask-question':
      return askQuestion({ ...job, effect });
    case 'use-tools':
      return useTools({ ...job, effect });
    case 'post-review':
      return postReview({ ...job, effect });
    case 'commit':
      return performCommit({ ...job, effect });
    case 'show-proposal':
      return showProposal({ ...job, effect });
    case 'show-run':
      return showRun({ ...job, effect });
    case 'react':
      return react({ ...job, effect });
    case 'answer':
      return postAnswer({ ...job, effect });
    case 'see-thread':
      return seeThread({ ...job, effect });
    case 'show-review':
      return showReview({ ...job, effect });
    case 'see-outdated':
      return seeOutdated({ ...job, effect });
    case 'dismiss-review':
      return releaseReview({ ...job, effect });
    case 'see-deadline':
      return seeDeadline({ ...job, effect });
    case 'catch-up':
      return catchUp({ ...job, effect });
    case 'expire':
      return expire(job);
    case 'start-next':
      return Promise.resolve({ kind: 'done', signal: { type: 'task-due' } });
  }
}

async function react({ context, stored, effect }: Job<'react'>): Promise<Outcome> {
  const pull = await context.store.load(stored.pullKey, NONE_NAMED);
  await context.githubs.for(pull.ref).react(effect.place, effect.content);
  return DONE;
}
