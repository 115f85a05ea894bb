import type { Note } from '../run/run.ts';
import { cleanText } from './clean-text.ts';
import type { Message } from './message.ts';

/** A person's words to the agent between two turns, quoted as JSON and with the writer's name. */
export function noteMessage(note: Note): Message {
  const content = `${note.by.login} says, as a JSON string:\n${JSON.stringify(cleanText(note.text).text)}`;
  return { role: 'user', content };
}
