import { codeOf } from './code.ts';

/** What draws plots. */
export const PLOT = codeOf('plot', () => import('./plot-drawn.tsx').then(({ DrawnPlot }) => DrawnPlot));
