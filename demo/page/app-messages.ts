/** A message of the model's transcript, cut. */
export type SeenMessage = {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly text: string }[];
};

/** A decided signal: what came in, what was decided and why, and what the run does now. */
export type SeenStep = {
  readonly kind: 'step';
  readonly at: number;
  /** `owner/repo#number`. */
  readonly pull: string;
  readonly signal: string;
  readonly by: string | null;
  readonly reason: string;
  readonly effects: readonly string[];
  /** Null before the first run. */
  readonly phase: string | null;
  readonly tokens: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly messages: readonly SeenMessage[];
};

/** A line of the App's log. */
export type SeenLine = {
  readonly kind: 'line';
  readonly at: number;
  readonly isTrouble: boolean;
  readonly entry: Readonly<Record<string, unknown>>;
};

/** What the App's process is told: how far its clock is ahead of the machine's (ms), and to start with these settings. */
export type ParentMessage = { readonly ahead: number; readonly environment?: Readonly<Record<string, string>> };

/** What the App's process tells its parent. */
export type AppMessage =
  | SeenStep
  | SeenLine
  | { readonly kind: 'listening'; readonly url: string }
  /** It could not start. */
  | { readonly kind: 'problem'; readonly text: string };
