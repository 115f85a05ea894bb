import { startLocalServer } from '../../fakes/lib/http-server.ts';

/** A TCP port of 127.0.0.1 that was free just now. */
export async function findFreePort(): Promise<number> {
  const { url, close } = await startLocalServer(() => {});
  await close();
  return Number(new URL(url).port);
}
