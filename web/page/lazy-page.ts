import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** A component that is loaded on demand (lazy loading). */
export const lazyPage = <P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> =>
  lazy(async () => ({ default: await load() }));
