import type { Person } from '../run/proposal.ts';
import type { Note } from '../run/run.ts';
import { cleanText } from './clean-text.ts';
import type { Message } from './message.ts';

/** A person lets a run go on that had stopped; said in a message of its own, for the last word must not be the model's. */
export function resumedMessage(by: Person): Message {
  return {
    role: 'user',
    content: `${by.login} lets the run go on after it had stopped. Go on with the task from where you were.`,
  };
}

/** A person's words to the agent between two turns, quoted as JSON and with the writer's name. */
export function noteMessage(note: Note): Message {
  const content = `${note.by.login} says, as a JSON string:\n${JSON.stringify(cleanText(note.text).text)}`;
  return { role: 'user', content };
}
