import { type DriveOrder, drive } from './drive.ts';
import { driveSignIns, type SignInOrder } from './drive-sign-ins.ts';

// A process of its own, so that measuring does not take time from what is measured.
process.on('message', async (order: DriveOrder | SignInOrder) => {
  try {
    process.send?.({ done: await ('signIn' in order ? driveSignIns(order) : drive(order)) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
