const LONGEST = 60;

/** A text of the model's as a JSON string in what it is answered; a long one is cut, so that nothing swells by being wrong. */
export function echo(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
