import type { Reply } from '../../lib/trust.ts';
import { composeReply } from './shared/markdown.ts';

/** The reply to a question, or to words for an ended run, of a person who had `max` replies within the hour. */
export function enoughReplies(max: number): Reply {
  return composeReply(
    `The agent does not get this: you had ${max} replies on this pull request within an hour, which is the limit. Write it again later.`,
  );
}
