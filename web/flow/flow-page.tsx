import { useBrand } from '../page/mount-page.tsx';

export function FlowPage() {
  const brand = useBrand();
  return <h1>{brand.branding_title}</h1>;
}
