namespace headway::worker {
class Dispatcher;
void add_functions(Dispatcher&) {}
}  // namespace headway::worker
