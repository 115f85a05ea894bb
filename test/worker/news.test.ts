import { describe, expect, it } from 'vitest';
import { News } from '../../src/worker/news.ts';

/** One that has looked for all there was at first. */
function looked(): News {
  const news = new News();
  news.looked();
  return news;
}

describe('News', () => {
  it('at the start everything may be due', () => {
    expect(new News().mustLook(0, false)).toBe(true);
  });

  it('what was stored here is claimed without asking what is due, and once', () => {
    const news = looked();
    news.heard({ lane: 'pull', count: 2 });
    news.heard({ lane: 'pull', count: 1 });
    news.heard({ lane: 'free', count: 1 });
    expect(news.mustLook(1_000, true)).toBe(false);
    expect(news.take()).toEqual({ pull: 3, free: 1 });
    expect(news.take()).toBeNull();
  });

  it('what another process stored is looked for at once', () => {
    const news = looked();
    news.heard(null);
    expect(news.mustLook(1_000, false)).toBe(true);
  });

  it('what an end has left is looked for at once where nothing else goes on, else a little later', () => {
    const news = looked();
    news.ended('pull', false, 1_000);
    news.ended('pull', false, 1_015);
    expect(news.mustLook(1_000, true)).toBe(true);
    expect(news.mustLook(1_099, false)).toBe(false);
    expect(news.mustLook(1_100, false)).toBe(true);
    news.looked();
    expect(news.mustLook(9_000, true)).toBe(false);
  });

  it('whoever may have waited for the place of what ended is begun at once', () => {
    const news = looked();
    news.ended('free', true, 1_000);
    expect(news.take()).toEqual({ pull: 0, free: 1 });
  });
});
