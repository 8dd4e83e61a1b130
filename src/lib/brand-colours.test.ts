import { describe, expect, it } from 'vitest';
import { accentTones, brandStyle, brandStyleAt, brandStylePath, contrast, isColour } from './brand-colours.ts';

const colours = ['#3b57d6', '#ffd400', '#ffffff', '#000000', '#ff6a00', '#808080', '#00a3a3', '#c8102e', '#0d1017'];
const surfaces = { light: ['#ffffff', '#f4f5f8', '#f1f3f7'], dark: ['#1b1f29', '#12151c', '#222735'] } as const;

describe('accentTones', () => {
  it.each(colours.flatMap((colour) => [[colour, 'light'] as const, [colour, 'dark'] as const]))(
    'corrects the contrast of %s (%s)',
    (colour, theme) => {
      const tones = accentTones(colour, theme);
      for (const ground of [...surfaces[theme], tones.tint]) {
        expect(contrast(tones.accent, ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(tones.accentStrong, ground)).toBeGreaterThanOrEqual(4.5);
      }
      for (const ground of [tones.ground, tones.groundStrong])
        expect(contrast(tones.onAccent, ground)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(tones.ground, surfaces[theme][0])).toBeGreaterThanOrEqual(1.2);
    },
  );

  it('leaves a colour alone that is readable', () => {
    expect(accentTones('#a3004f', 'light')).toMatchObject({
      accent: '#a3004f',
      ground: '#a3004f',
      onAccent: '#ffffff',
    });
    expect(accentTones('#ffd400', 'dark')).toMatchObject({ accent: '#ffd400', ground: '#ffd400' });
  });

  it('puts dark text on a bright colour', () => {
    expect(accentTones('#ffd400', 'light').onAccent).toBe('#0d1017');
  });
});

describe('the style sheet of a brand', () => {
  it('is found at its address', () => {
    const chosen = { accent: '#C8102E', ground: '#102030', groundEnd: null };
    expect(brandStylePath(chosen)).toBe('/static/brand/c8102e-102030-0.css');
    const text = brandStyleAt('/static/brand/c8102e-102030-0.css');
    expect(text).toContain('--brand-ground:#102030');
    expect(text).toContain('--accent:light-dark(#');
    expect(brandStyle({ accent: null, ground: '#102030', groundEnd: '#405060' })).toBe(
      ':root{--brand-ground:linear-gradient(160deg,#102030,#405060)}',
    );
    expect(brandStylePath({ accent: null, ground: null, groundEnd: null })).toBeNull();
  });

  it.each(['/static/brand/c8102e.css', '/static/brand/c8102e-0-0}.css', '/static/brand/url(x)-0-0.css'])(
    'is not made from %s',
    (path) => expect(brandStyleAt(path)).toBeNull(),
  );

  it.each(['red', '#fff', '#12345g', '#123456;', ' #123456', 5, null])('takes no colour such as %s', (text) =>
    expect(isColour(text)).toBe(false),
  );
});
