import { JSONParse } from 'json-with-bigint';
import { GitHubFault } from '../worker/ports.ts';

/** An answer as Octokit hands it out where it is told to read nothing of it. */
type Unread = {
  readonly status: number;
  readonly headers: { readonly 'content-type'?: string | undefined };
  readonly data: unknown;
};

/**
 * What a successful answer of GitHub says: its JSON, or the bytes of anything else. Octokit's own reader takes several
 * times as long, for numbers that hardly any answer has, and hands out what it could read of JSON that was cut off; here
 * that is a `GitHubFault`. Integers beyond 2^53 (delivery ids) are `bigint`.
 */
export async function readAnswer({ status, headers, data }: Unread): Promise<unknown> {
  if (!(data instanceof ReadableStream)) return data;
  const type = headers['content-type'];
  const body = new Response(data);
  try {
    return type === undefined || type.includes('json') ? parsed(await body.text()) : await body.arrayBuffer();
  } catch (error) {
    throw new GitHubFault(`GitHub's answer (${status}) was cut off or is not JSON`, null, null, { cause: error });
  }
}

/** Digits that may be more than a `number` can hold, where a number begins. */
const LONG_NUMBER = /[:,[]\s*-?\d{16}/;

function parsed(json: string): unknown {
  return LONG_NUMBER.test(json) ? JSONParse(json) : JSON.parse(json);
}
