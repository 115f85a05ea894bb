import type { OpenAI } from 'openai';
import type { ModelResponse, OpaqueMembers, TokenUsage, TranscriptMessage } from '../../core/state/conversation.ts';

/** One way to talk to an endpoint: where requests go, their form, and the form of the answers. */
export type ModelWire = {
  /** Below the endpoint's base URL. */
  readonly path: string;
  /** Refusals that do not name what they refuse. */
  readonly refusals: readonly KnownRefusal[];
  /** The members of a request that hold the transcript. */
  readonly writeTranscript: (messages: readonly SentMessage[]) => JsonObject;
  readonly writeTool: (tool: ModelTool) => unknown;
  /** The parameters that a request could do without, by their names; null for those that are not set. */
  readonly listParameters: (input: ParameterInput) => readonly (readonly [string, unknown])[];
  /** Reads a response to its end. Throws if it is no answer, or only half of one. */
  readonly readAnswer: (response: Response, client: OpenAI, onUsage: OnUsage) => Promise<ModelAnswer>;
};

/** A refusal by its words, and the parameter or opaque member that later requests leave out, or send in another way. */
export type KnownRefusal = {
  readonly words: RegExp;
  readonly name: string;
  /** It is left out in this run only. */
  readonly isOfRun: boolean;
  /** What the operator is told. */
  readonly warning: string;
};

export type JsonObject = Readonly<Record<string, unknown>>;

/** Which of the two APIs is used. */
export type ModelApi = 'responses' | 'chat';

/** A tool that the model can call. `parameters` is a JSON schema. */
export type ModelTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
};

/** The members of a response that go back to its model beside what everybody gets. */
export type SentMembers = Pick<OpaqueMembers, 'message' | 'calls'>;

/** An entry of the transcript, with the members that its model gets back. */
export type SentMessage = { readonly message: TranscriptMessage; readonly opaque: SentMembers };

/** What a wire reads out of a response. */
export type ModelAnswer = Omit<ModelResponse, 'opaque'> & {
  /** Members that only the model understands. */
  readonly members: SentMembers;
};

/** Called with each count of tokens in an answer: it costs also if it breaks off. Null if it counts none. */
export type OnUsage = (usage: TokenUsage | null) => void;

/** Parameters that the operator sets; null sends none. */
export type ModelParameters = {
  readonly maxOutputTokens: number | null;
  readonly reasoningEffort: string | null;
  readonly temperature: number | null;
};

export type ParameterInput = {
  readonly parameters: ModelParameters;
  /** The endpoint is OpenAI's own or Azure's, which know the newer parameters; all others know the older ones. */
  readonly isOpenAi: boolean;
  readonly runId: string;
  /** The request has tools, and none may be called. */
  readonly forbidsCalls: boolean;
  readonly isRefused: (name: string) => boolean;
};
