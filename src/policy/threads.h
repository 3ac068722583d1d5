// How many threads compute.
#pragma once

namespace ramet {

// As asked, or one for each physical core that this process may run on; at most 1024.
int choose_threads(int asked);

}  // namespace ramet
