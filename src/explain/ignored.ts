import type { IgnoreReason } from '../command/ignore-reason.ts';

/** Why a delivery means nothing, for whoever wonders. */
export const IGNORED = {
  'unknown-event': 'this event is not read',
  'unknown-action': 'this action of the event is not read',
  malformed: 'a field that is needed is missing or is not what GitHub documents',
  'no-installation': 'it does not say which installation it is for',
  'not-a-pull-request': 'it is about an issue',
  'no-actor': 'it names nobody, as for a deleted account',
  'own-event': 'the App did it itself',
  bot: 'a bot wrote it',
  'not-a-person': 'it was not done by a person’s account',
  'via-app': 'an App wrote it in a person’s name',
  'another-hand': 'its writer is not who sent it',
  'empty-review': 'the review has no words of its own; its comments come by themselves',
  'not-our-review': 'the review is somebody else’s',
  'harmless-edit': 'the edit left no command and no address to the App, and no other base branch',
  'access-stands': 'the installation may still do what the App needs',
  'other-command': 'it is a command for somebody else',
  'not-addressed': 'it is said to nobody here, and answers nothing of the App',
} as const satisfies Record<IgnoreReason, string>;
